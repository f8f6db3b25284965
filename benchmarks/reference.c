/* The searches of benchmarks/peers.py written by hand in C, as an upper limit of the speed.
 *
 * Each search is negamax with alpha-beta pruning, without table, in the order of the squares or columns. It visits
 * exactly the nodes that Zermelo's compiled search visits. Every visit counts as a node, including the root and the
 * leaves; a value that reaches beta causes a cutoff. Within this tree the code is as fast as possible: states are
 * passed in registers, mobility and flips are parallel prefix computations on whole boards, and one instruction counts
 * discs. Othello comes in two versions: one direction after the other, like the rules in Python, and the four
 * directions in parallel in vector registers.
 *
 *     cc -O3 -march=native -shared -fPIC reference.c -o reference.so
 */
#include <stdint.h>

typedef uint64_t u64;

enum { INFINITY_SCORE = 1000000 };

static int64_t nodes;

/* ---- Othello ------------------------------------------------------------------------------------------
 *
 * Bit 0 is a1, bit 7 is h1, bit 63 is h8. `own` are the discs of the side to move. Horizontal and diagonal
 * lines must not wrap around the edge, so only opponent discs on the inner six files count for them.
 */

static const u64 INNER_FILES = 0x7E7E7E7E7E7E7E7EULL;

/* Kogge-Stone parallel prefix: all discs of `over` in an unbroken run that starts next to `from`, in steps of `s`. A
 * run has at most six discs, so three doublings are enough. */
#define RUN_UP(from, over, s, run)                                                                                     \
    do {                                                                                                               \
        __typeof__(run) pair = (over) & ((over) << (s));                                                               \
        run = (over) & ((from) << (s));                                                                                \
        run |= (over) & (run << (s));                                                                                  \
        run |= pair & (run << 2 * (s));                                                                                \
        run |= pair & (run << 2 * (s));                                                                                \
    } while (0)

#define RUN_DOWN(from, over, s, run)                                                                                   \
    do {                                                                                                               \
        __typeof__(run) pair = (over) & ((over) >> (s));                                                               \
        run = (over) & ((from) >> (s));                                                                                \
        run |= (over) & (run >> (s));                                                                                  \
        run |= pair & (run >> 2 * (s));                                                                                \
        run |= pair & (run >> 2 * (s));                                                                                \
    } while (0)

static inline u64 reach(u64 own, u64 over, int s) {
    u64 up, down;
    RUN_UP(own, over, s, up);
    RUN_DOWN(own, over, s, down);
    return (up << s) | (down >> s);
}

static inline u64 mobility(u64 own, u64 opp) {
    u64 inner = opp & INNER_FILES;
    return (reach(own, inner, 1) | reach(own, opp, 8) | reach(own, inner, 7) | reach(own, inner, 9)) & ~(own | opp);
}

/* A run next to `stone` is flipped if an own disc follows it. */
static inline u64 flips_along(u64 stone, u64 own, u64 over, int s) {
    u64 up, down;
    RUN_UP(stone, over, s, up);
    RUN_DOWN(stone, over, s, down);
    return ((own & (up << s)) ? up : 0) | ((own & (down >> s)) ? down : 0);
}

static inline u64 flips(u64 stone, u64 own, u64 opp) {
    u64 inner = opp & INNER_FILES;
    return flips_along(stone, own, inner, 1) | flips_along(stone, own, opp, 8) | flips_along(stone, own, inner, 7)
         | flips_along(stone, own, inner, 9);
}

/* The same with one axis per vector lane: horizontal, vertical and the two diagonals. */
typedef u64 lanes __attribute__((vector_size(32)));

static const lanes STEPS = {1, 8, 7, 9};

static inline lanes spread(u64 board) {
    return (lanes){board, board, board, board};
}

static inline lanes passed_over(u64 opp) {
    u64 inner = opp & INNER_FILES;
    return (lanes){inner, opp, inner, inner};
}

static inline u64 joined(lanes boards) {
    return boards[0] | boards[1] | boards[2] | boards[3];
}

static inline u64 mobility_vectorized(u64 own, u64 opp) {
    lanes from = spread(own), over = passed_over(opp), up, down;
    RUN_UP(from, over, STEPS, up);
    RUN_DOWN(from, over, STEPS, down);
    return joined((up << STEPS) | (down >> STEPS)) & ~(own | opp);
}

static inline u64 flips_vectorized(u64 stone, u64 own, u64 opp) {
    lanes from = spread(stone), over = passed_over(opp), ends = spread(own), up, down;
    RUN_UP(from, over, STEPS, up);
    RUN_DOWN(from, over, STEPS, down);
    up &= (lanes)((ends & (up << STEPS)) != 0);
    down &= (lanes)((ends & (down >> STEPS)) != 0);
    return joined(up | down);
}

static inline int difference(u64 own, u64 opp) {
    return __builtin_popcountll(own) - __builtin_popcountll(opp);
}

/* A pass is a move and counts as a ply; the game is over when neither side can move. */
#define OTHELLO(search, mobility, flips)                                                                               \
    static int search(u64 own, u64 opp, int depth, int alpha, int beta) {                                              \
        nodes++;                                                                                                       \
        if (depth == 0) return difference(own, opp);                                                                   \
        u64 legal = mobility(own, opp);                                                                                \
        if (!legal) {                                                                                                  \
            if (!mobility(opp, own)) return difference(own, opp);                                                      \
            return -search(opp, own, depth - 1, -beta, -alpha);                                                        \
        }                                                                                                              \
        int best = -INFINITY_SCORE;                                                                                    \
        do {                                                                                                           \
            u64 stone = legal & -legal;                                                                                \
            u64 flipped = flips(stone, own, opp);                                                                      \
            int value = -search(opp ^ flipped, own ^ flipped ^ stone, depth - 1, -beta, -alpha);                       \
            if (value > best) {                                                                                        \
                best = value;                                                                                          \
                if (value >= beta) return best;                                                                        \
                if (value > alpha) alpha = value;                                                                      \
            }                                                                                                          \
            legal &= legal - 1;                                                                                        \
        } while (legal);                                                                                               \
        return best;                                                                                                   \
    }

OTHELLO(othello, mobility, flips)
OTHELLO(othello_vectorized, mobility_vectorized, flips_vectorized)

/* From the start: black, who moves first, holds e4 and d5. The value is black's discs minus white's. */
int search_othello(int vectorized, int depth, int64_t *visited) {
    u64 black = 1ULL << 28 | 1ULL << 35, white = 1ULL << 27 | 1ULL << 36;
    nodes = 0;
    int value = vectorized ? othello_vectorized(black, white, depth, -INFINITY_SCORE, INFINITY_SCORE)
                         : othello(black, white, depth, -INFINITY_SCORE, INFINITY_SCORE);
    *visited = nodes;
    return value;
}

/* ---- Connect Four -------------------------------------------------------------------------------------
 *
 * Seven bits per column from bottom to top; the seventh is always empty:
 *
 *      5 12 19 26 33 40 47
 *      4 11 18 25 32 39 46
 *      3 10 17 24 31 38 45
 *      2  9 16 23 30 37 44
 *      1  8 15 22 29 36 43
 *      0  7 14 21 28 35 42
 */

enum { COLUMNS = 7, COLUMN_BITS = 7 };

static const u64 BOTTOM_ROW = 0x0040810204081ULL;
static const u64 PLAYABLE = 0x0040810204081ULL * 0x3F;

static inline int has_four(u64 stones) {
    u64 pairs;
    pairs = stones & (stones >> 1);
    if (pairs & (pairs >> 2)) return 1;
    pairs = stones & (stones >> COLUMN_BITS);
    if (pairs & (pairs >> 2 * COLUMN_BITS)) return 1;
    pairs = stones & (stones >> (COLUMN_BITS - 1));
    if (pairs & (pairs >> 2 * (COLUMN_BITS - 1))) return 1;
    pairs = stones & (stones >> (COLUMN_BITS + 1));
    return (pairs & (pairs >> 2 * (COLUMN_BITS + 1))) != 0;
}

/* Value for the side to move: -1 if the opponent has four in a row, 0 for a full board or an unfinished leaf. */
static int connect4(u64 own, u64 opp, int depth, int alpha, int beta) {
    nodes++;
    if (has_four(opp)) return -1;
    if (depth == 0) return 0;
    u64 occupied = own | opp;
    u64 drops = (occupied + BOTTOM_ROW) & PLAYABLE;
    int best = -INFINITY_SCORE;
    if (!drops) return 0;
    do {
        u64 stone = drops & -drops;
        int value = -connect4(opp, own | stone, depth - 1, -beta, -alpha);
        if (value > best) {
            best = value;
            if (value >= beta) return best;
            if (value > alpha) alpha = value;
        }
        drops &= drops - 1;
    } while (drops);
    return best;
}

int search_connect4(int depth, int64_t *visited) {
    nodes = 0;
    int value = connect4(0, 0, depth, -INFINITY_SCORE, INFINITY_SCORE);
    *visited = nodes;
    return value;
}

/* ---- Tic-tac-toe --------------------------------------------------------------------------------------
 *
 * Bits 0 to 8, row by row. Bit s & 31 of three_in_a_row[s >> 5] is set if the nine bits s contain a line. The table has
 * 512 bits, one cache line. */

static uint32_t three_in_a_row[16];

static void fill_three_in_a_row(void) {
    static const int lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    for (int s = 0; s < 512; s++)
        for (int i = 0; i < 8; i++)
            if ((s & lines[i]) == lines[i]) three_in_a_row[s >> 5] |= 1u << (s & 31);
}

static inline int has_three(uint32_t stones) {
    return three_in_a_row[stones >> 5] >> (stones & 31) & 1;
}

static int tictactoe_minimax(uint32_t own, uint32_t opp) {
    nodes++;
    if (has_three(opp)) return -1;
    uint32_t empty = ~(own | opp) & 0777;
    if (!empty) return 0;
    int best = -INFINITY_SCORE;
    do {
        int value = -tictactoe_minimax(opp, own | (empty & -empty));
        if (value > best) best = value;
        empty &= empty - 1;
    } while (empty);
    return best;
}

static int tictactoe_alphabeta(uint32_t own, uint32_t opp, int alpha, int beta) {
    nodes++;
    if (has_three(opp)) return -1;
    uint32_t empty = ~(own | opp) & 0777;
    if (!empty) return 0;
    int best = -INFINITY_SCORE;
    do {
        int value = -tictactoe_alphabeta(opp, own | (empty & -empty), -beta, -alpha);
        if (value > best) {
            best = value;
            if (value >= beta) return best;
            if (value > alpha) alpha = value;
        }
        empty &= empty - 1;
    } while (empty);
    return best;
}

int search_tictactoe(int prune, int64_t *visited) {
    fill_three_in_a_row();
    nodes = 0;
    int value = prune ? tictactoe_alphabeta(0, 0, -INFINITY_SCORE, INFINITY_SCORE) : tictactoe_minimax(0, 0);
    *visited = nodes;
    return value;
}
