/* Perft of checkers written by hand in C, as an upper limit of the speed. It uses the same bits as the rules in Python
 * (games/checkers/squares.py).
 *
 * Moves are made as soon as they are generated, without a move list. Each path of a capture counts as a move.
 *
 *     cc -O3 -march=native -shared -fPIC checkers.c -o checkers.so
 */
#include <stdint.h>

typedef uint64_t u64;

static const u64 BOARD = 0x7FBFDFEFFULL, ENDS = 0x78000000FULL;
static const int DIRECTIONS[4] = {5, 4, -4, -5};

static int64_t black_to_move(u64 black, u64 white, u64 kings, int depth, int bulk);
static int64_t white_to_move(u64 black, u64 white, u64 kings, int depth, int bulk);

static inline u64 shifted(u64 set, int by) { return by > 0 ? set << by : set >> -by; }

/* Count the leaves below the position after a move. */
static inline int64_t after(int is_black, u64 own, u64 other, u64 kings, int depth, int bulk) {
    return is_black ? white_to_move(own, other, kings, depth - 1, bulk) : black_to_move(other, own, kings, depth - 1, bulk);
}

/* Count the leaves below all captures of the piece on `at`, which is not in `own`. `first` and `last` are the range of
 * its directions. A complete capture is made, or only counted at depth 1 with `bulk`. */
static int64_t jumps(int is_black, u64 at, int is_king, u64 own, u64 other, u64 kings, int first, int last, int depth,
                     int bulk, int jumped) {
    u64 empty = BOARD & ~(own | other);
    int64_t count = 0;
    int continues = 0;
    for (int direction = first; direction <= last; direction++) {
        u64 over = shifted(at, DIRECTIONS[direction]) & other, to = shifted(over, DIRECTIONS[direction]) & empty;
        if (to) {
            continues = 1;
            count += jumps(is_black, to, is_king, own, other ^ over, kings & ~over, first, last, depth, bulk, 1);
        }
    }
    if (continues || !jumped)
        return count;
    if (bulk && depth == 1)
        return 1;
    return after(is_black, own | at, other, is_king || at & ENDS ? kings | at : kings, depth, bulk);
}

static inline __attribute__((always_inline)) int64_t perft(int is_black, u64 own, u64 other, u64 kings, int depth, int bulk) {
    if (depth == 0)
        return 1;
    u64 empty = BOARD & ~(own | other), up = is_black ? own : own & kings, down = is_black ? own & kings : own;
    u64 jumping = (up & ((other >> 5 & empty >> 10) | (other >> 4 & empty >> 8))) |
                  (down & ((other << 5 & empty << 10) | (other << 4 & empty << 8)));
    int64_t count = 0;
    if (jumping) {
        for (; jumping; jumping &= jumping - 1) {
            u64 piece = jumping & -jumping, king = piece & kings;
            int first = piece & up ? 0 : 2, last = piece & down ? 3 : 1;
            count += jumps(is_black, piece, king != 0, own ^ piece, other, kings ^ king, first, last, depth, bulk, 0);
        }
        return count;
    }
    u64 steps[4] = {up << 5 & empty, up << 4 & empty, down >> 4 & empty, down >> 5 & empty};
    if (bulk && depth == 1)
        return __builtin_popcountll(steps[0]) + __builtin_popcountll(steps[1]) + __builtin_popcountll(steps[2]) +
               __builtin_popcountll(steps[3]);
    for (int direction = 0; direction < 4; direction++)
        for (u64 left = steps[direction]; left; left &= left - 1) {
            u64 to = left & -left, piece = shifted(to, -DIRECTIONS[direction]);
            u64 crowned = piece & kings ? kings ^ piece ^ to : kings | (to & ENDS);
            count += after(is_black, own ^ piece ^ to, other, crowned, depth, bulk);
        }
    return count;
}

static __attribute__((noinline)) int64_t black_to_move(u64 black, u64 white, u64 kings, int depth, int bulk) {
    return perft(1, black, white, kings, depth, bulk);
}

static __attribute__((noinline)) int64_t white_to_move(u64 black, u64 white, u64 kings, int depth, int bulk) {
    return perft(0, white, black, kings, depth, bulk);
}

int64_t perft_checkers(int depth, int bulk) { return black_to_move(0x1EFFULL, 0x7FBC00000ULL, 0, depth, bulk); }
