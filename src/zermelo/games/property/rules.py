"""Rules of the property game."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Grid, Path
from zermelo.core.rows import replaced
from zermelo.games.property import notation
from zermelo.games.property.evaluations import EVALUATIONS
from zermelo.games.property.picture import cell_of, picture
from zermelo.games.property.position import (
    AUCTION,
    BID,
    BID_LARGE_STEP,
    BID_MORE,
    BID_STEP,
    BUILD,
    BUY,
    DEBT,
    DECLINE,
    DICE,
    DRAW,
    MANAGE,
    MORTGAGE,
    PASS,
    PAY,
    REDEEM,
    ROLL,
    SELL,
    START_CASH,
    TAKE,
    TOLL,
    TURNS,
    USE_CARD,
    level_of,
    seat,
    with_level,
)
from zermelo.games.property.squares import (
    ADVANCE,
    BACK,
    CARD_KIND,
    CARD_NUMBER,
    CARDS,
    CHANCE_SQUARES,
    CHEST_SQUARES,
    FINE,
    FROM_OTHER,
    GO,
    GROUP,
    GROUP_SQUARES,
    HOTEL,
    HOTELS,
    HOUSE_PRICE,
    HOUSES,
    JAIL,
    MONEY,
    NEAREST,
    PARDON,
    PRICE,
    PROPERTIES,
    RAIL_RENT,
    RAILS,
    RENTS,
    REPAIRS,
    REPAIRS_HOTEL,
    SALARY,
    SQUARES,
    TAX,
    TO_JAIL,
    UTILITIES,
    UTILITY_RENTS,
    VISIT,
)

#: Cash that playouts keep.
RESERVE = 200


def mortgage_value(square: int) -> int:
    """Return what the bank lends for a property."""
    return PRICE[square] // 2


def redemption_price(square: int) -> int:
    """Return what it costs to lift a mortgage: a tenth more than it brought, rounded up."""
    return (11 * mortgage_value(square) + 9) // 10


@game
class Property(State):
    """The property game: buy streets, build houses, collect rent. Rules of Monopoly for two, without trade.

    The side whose turn it is may build, sell, mortgage and redeem, then rolls two dice and moves; a double rolls again.
    It may buy the square where it stops, and pays rent if the other side owns it. A side that cannot pay loses. After
    100 turns the richer side wins: cash, properties at their price (mortgaged ones at half) and houses at their price.

    Notes
    -----
    Moves of players are the constants `ROLL` to `PASS`, and BUILD, SELL, MORTGAGE or REDEEM plus a square. A roll is
    the two dice as digits, the larger first; a card its index in its deck.

    References
    ----------
    R. B. Ash, R. L. Bishop, "Monopoly as a Markov Process", Mathematics Magazine 45 (1972).
    """

    turn: int = MAX
    #: What happens next, `MANAGE` to `TOLL`.
    phase: int = MANAGE
    #: Of MAX and MIN: cash; the square; 0, or 1 more than the rolls in jail; the cards kept, by deck as bits.
    cash: tuple[int, int] = (START_CASH, START_CASH)
    place: tuple[int, int] = (GO, GO)
    jail: tuple[int, int] = (0, 0)
    pardons: tuple[int, int] = (0, 0)
    owned: tuple[Bitboard, Bitboard] = (Bitboard(0), Bitboard(0))
    mortgaged: Bitboard = Bitboard(0)
    #: The bits 1, 2 and 4 of the number of houses of each square.
    houses: tuple[Bitboard, Bitboard, Bitboard] = (Bitboard(0), Bitboard(0), Bitboard(0))
    #: The cards drawn since the deck was shuffled, as bits, by deck.
    drawn: tuple[int, int] = (0, 0)
    #: Doubles rolled in a row, and the sum of the last roll.
    doubles: int = 0
    dice: int = 0
    #: In DEBT: who pays how much to whom (0 is the bank), and whether the debtor then moves out of jail.
    debtor: int = 0
    creditor: int = 0
    owed: int = 0
    moves_on: bool = False
    #: In AUCTION: who bids next, the highest bid and who made it.
    bidder: int = 0
    bid: int = 0
    leader: int = 0
    #: The side that could not pay.
    bankrupt: int = 0
    #: Turns left.
    turns: int = TURNS
    #: Options: a property that is declined is auctioned; cards go back into the deck at once.
    auctions: bool = False
    redraws: bool = False

    largest_move = REDEEM + SQUARES - 1
    evaluations = EVALUATIONS

    def to_move(self) -> int:
        if self.phase >= DICE:
            return CHANCE
        if self.phase == DEBT:
            return self.debtor
        if self.phase == AUCTION:
            return self.bidder
        return self.turn

    # ---- what can be done ---------------------------------------------------------------------------------

    def moves(self) -> Iterator[int]:
        me = seat(self.to_move())
        square = self.place[me]
        if self.phase == AUCTION:
            yield PASS
            if self.bid + BID_STEP <= self.cash[me]:
                yield BID
            if self.bid + BID_LARGE_STEP <= self.cash[me]:
                yield BID_MORE
        if self.phase == MANAGE:
            yield ROLL
            if self.jail[me] > 0 and self.cash[me] >= FINE:
                yield PAY
            if self.jail[me] > 0 and self.pardons[me] > 0:
                yield USE_CARD
            for owned in self.owned[me]:
                if self.can_build(me, owned):
                    yield BUILD + owned
                if self.mortgaged >> owned & 1 and self.cash[me] >= redemption_price(owned):
                    yield REDEEM + owned
        if self.phase == BUY:
            if self.cash[me] >= PRICE[square]:
                yield TAKE
            yield DECLINE
        if self.needs_cash(me):
            for owned in self.owned[me]:
                if self.can_sell(owned):
                    yield SELL + owned
                if self.can_mortgage(owned):
                    yield MORTGAGE + owned

    def needs_cash(self, me: int) -> bool:
        """Return whether more cash could be of use now: it cannot where nothing is owed, bought, bid for or built.

        Houses are sold and properties mortgaged only then, so that no move merely passes the time.
        """
        if self.phase == DEBT or self.phase == AUCTION:
            return True
        if self.phase == BUY:
            return self.cash[me] < PRICE[self.place[me]]
        if self.jail[me] > 0 and self.cash[me] < FINE:
            return True
        for group in range(RAILS):
            squares = GROUP_SQUARES[group]
            hotels = self.houses[0] & self.houses[2]
            if not squares & ~self.owned[me] and squares & ~hotels:
                return True
        return False

    def can_build(self, me: int, square: int) -> bool:
        """Return whether a house can be built: evenly, on a group that is complete and free of mortgages."""
        group = GROUP[square]
        level = level_of(self.houses, square)
        if group >= RAILS or level == HOTEL or self.cash[me] < HOUSE_PRICE[square]:
            return False
        squares = GROUP_SQUARES[group]
        if squares & ~self.owned[me] or squares & self.mortgaged:
            return False
        for other in squares:
            if level_of(self.houses, other) < level:
                return False
        return self.hotels_built() < HOTELS if level == HOTEL - 1 else self.houses_built() < HOUSES

    def can_sell(self, square: int) -> bool:
        """Return whether a house or the hotel of a street can be sold: evenly."""
        level = level_of(self.houses, square)
        if level == 0:
            return False
        for other in GROUP_SQUARES[GROUP[square]]:
            if level_of(self.houses, other) > level:
                return False
        return True

    def can_mortgage(self, square: int) -> bool:
        """Return whether a property can be mortgaged: no street of its group has a house."""
        built = self.houses[0] | self.houses[1] | self.houses[2]
        return not (self.mortgaged >> square & 1 or built & GROUP_SQUARES[GROUP[square]])

    def hotels_built(self) -> int:
        """Return the number of hotels on the board."""
        return (self.houses[0] & self.houses[2]).count()

    def houses_built(self) -> int:
        """Return the number of houses on the board."""
        hotels = self.houses[0] & self.houses[2]
        return (self.houses[0] & ~hotels).count() + 2 * self.houses[1].count() + 4 * (self.houses[2] & ~hotels).count()

    def outcomes(self) -> Iterator[tuple[int, int]]:
        if self.phase == DRAW:
            deck = self.deck()
            for card in range(CARDS):
                if not (self.drawn[deck] >> card & 1 or self.is_kept(deck, card)):
                    yield card, 1
        else:
            for die in range(1, 7):
                for small in range(1, die + 1):
                    yield 10 * die + small, 1 if die == small else 2

    def deck(self) -> int:
        """Return the deck of the square of the side whose turn it is: 0 chance, 1 community chest."""
        return int(bool(CHEST_SQUARES >> self.place[seat(self.turn)] & 1))

    def is_kept(self, deck: int, card: int) -> bool:
        """Return whether a player keeps a card."""
        kept = (self.pardons[0] | self.pardons[1]) >> deck & 1
        return kept == 1 and CARD_KIND[CARDS * deck + card] == PARDON

    # ---- what it does -------------------------------------------------------------------------------------

    def play(self, move: int) -> Property:
        if self.phase == DICE:
            return self.rolled(move // 10, move % 10)
        if self.phase == DRAW:
            return self.drew(move)
        if self.phase == TOLL:
            rent = UTILITY_RENTS[1] * (move // 10 + move % 10)
            return self.charged(self.turn, -self.turn, rent).finished()
        if move >= BUILD:
            state = self.managed(move)
            if self.phase == DEBT and state.cash[seat(self.debtor)] >= self.owed:
                return state.paid_off()
            return state
        if self.phase == AUCTION:
            return self.called(move)
        if move == ROLL:
            return self.replace(phase=DICE)
        me = seat(self.turn)
        if move == PAY:
            return self.earned(self.turn, -FINE).replace(jail=replaced(self.jail, me, 0))
        if move == USE_CARD:
            # The card of the first deck, if both are there.
            left = self.pardons[me] & (self.pardons[me] - 1)
            return self.replace(jail=replaced(self.jail, me, 0), pardons=replaced(self.pardons, me, left))
        if move == TAKE:
            return self.bought(self.turn, PRICE[self.place[me]])
        if self.auctions:
            return self.replace(phase=AUCTION, bidder=-self.turn, bid=0, leader=0)
        return self.finished()

    def managed(self, move: int) -> Property:
        """Return the state after building, selling, a mortgage or its redemption."""
        square = move % SQUARES
        kind = move - square
        player = self.to_move()
        level = level_of(self.houses, square)
        if kind == BUILD:
            state = self.replace(houses=with_level(self.houses, square, level + 1))
            return state.earned(player, -HOUSE_PRICE[square])
        if kind == SELL:
            # A hotel gives back four houses; where the bank has fewer, the rest are sold with it.
            left = level - 1
            if level == HOTEL:
                left = min(left, HOUSES - self.houses_built())
            state = self.replace(houses=with_level(self.houses, square, left))
            return state.earned(player, (level - left) * (HOUSE_PRICE[square] // 2))
        state = self.replace(mortgaged=self.mortgaged ^ Bitboard(1) << square)
        return state.earned(player, mortgage_value(square) if kind == MORTGAGE else -redemption_price(square))

    def earned(self, player: int, amount: int) -> Property:
        """Return the state with more cash for a player, or less where negative."""
        me = seat(player)
        return self.replace(cash=replaced(self.cash, me, self.cash[me] + amount))

    def charged(self, debtor: int, creditor: int, amount: int) -> Property:
        """Return the state after a payment, in DEBT where money must be raised first, or bankrupt."""
        if self.cash[seat(debtor)] >= amount:
            state = self.earned(debtor, -amount)
            return state.earned(creditor, amount) if creditor != 0 else state
        if self.resources(debtor) < amount:
            return self.replace(bankrupt=debtor)
        return self.replace(phase=DEBT, debtor=debtor, creditor=creditor, owed=amount)

    def paid_off(self) -> Property:
        """Return the state after the debt has been paid."""
        state = self.replace(phase=MANAGE, debtor=0, creditor=0, owed=0, moves_on=False)
        state = state.charged(self.debtor, self.creditor, self.owed)
        return state.advanced(self.dice) if self.moves_on else state.finished()

    def finished(self) -> Property:
        """Return the state after the square has been dealt with: another roll after a double, or the next turn."""
        if self.phase == DEBT or self.bankrupt != 0:
            return self
        if self.doubles > 0:
            return self.replace(phase=MANAGE, dice=0)
        return self.replace(phase=MANAGE, turn=-self.turn, turns=self.turns - 1, dice=0)

    def rolled(self, die: int, small: int) -> Property:
        """Return the state after a roll."""
        me = seat(self.turn)
        dice = die + small
        if self.jail[me] == 0:
            doubles = self.doubles + 1 if die == small else 0
            return self.jailed() if doubles == 3 else self.replace(doubles=doubles).advanced(dice)
        if die != small and self.jail[me] < 3:
            return self.replace(jail=replaced(self.jail, me, self.jail[me] + 1)).finished()
        state = self.replace(jail=replaced(self.jail, me, 0), dice=dice, phase=MANAGE)
        if die != small:
            state = state.charged(self.turn, 0, FINE)
            if state.phase == DEBT:
                return state.replace(moves_on=True)
        return state if state.bankrupt != 0 else state.advanced(dice)

    def jailed(self) -> Property:
        """Return the state after the side whose turn it is has been sent to jail."""
        me = seat(self.turn)
        state = self.replace(place=replaced(self.place, me, VISIT), jail=replaced(self.jail, me, 1), doubles=0)
        return state.replace(phase=MANAGE).finished()

    def advanced(self, dice: int) -> Property:
        """Return the state after a move by the dice."""
        square = (self.place[seat(self.turn)] + dice) % SQUARES
        return self.replace(dice=dice, phase=MANAGE).moved_to(square).landed(1)

    def moved_to(self, square: int) -> Property:
        """Return the state after a move forwards, with the salary where it passes or reaches `GO`."""
        me = seat(self.turn)
        state = self.replace(place=replaced(self.place, me, square))
        return state.earned(self.turn, SALARY) if square < self.place[me] else state

    def landed(self, factor: int) -> Property:
        """Return the state after the square has had its effect.

        Rent of a railway is multiplied by a factor. Where that is above 1, rent of a utility is ten times a new roll.
        """
        square = self.place[seat(self.turn)]
        here = Bitboard(1) << square
        if here & PROPERTIES & ~(self.owned[0] | self.owned[1]):
            return self.replace(phase=BUY)
        if here & (CHANCE_SQUARES | CHEST_SQUARES):
            return self.replace(phase=DRAW)
        if square == TO_JAIL:
            return self.jailed()
        creditor = 0
        owed = TAX[square]
        if here & self.owned[seat(-self.turn)] & ~self.mortgaged:
            if GROUP[square] == UTILITIES and factor > 1:
                return self.replace(phase=TOLL)
            creditor = -self.turn
            owed = factor * self.rent(square, self.dice)
        return self.charged(self.turn, creditor, owed).finished()

    def rent(self, square: int, dice: int) -> int:
        """Return the rent of a property that is owned and not mortgaged."""
        group = GROUP[square]
        squares = GROUP_SQUARES[group]
        owned = self.owned[0] if self.owned[0] >> square & 1 else self.owned[1]
        count = (owned & squares).count()
        if group == RAILS:
            return RAIL_RENT << count - 1
        if group == UTILITIES:
            return UTILITY_RENTS[count - 1] * dice
        level = level_of(self.houses, square)
        if level == 0 and count == squares.count():
            return 2 * RENTS[6 * square]
        return RENTS[6 * square + level]

    def drew(self, card: int) -> Property:
        """Return the state after a card."""
        me = seat(self.turn)
        deck = self.deck()
        kind = CARD_KIND[CARDS * deck + card]
        number = CARD_NUMBER[CARDS * deck + card]
        state = self.replace(phase=MANAGE)
        if kind == PARDON:
            state = state.replace(pardons=replaced(self.pardons, me, self.pardons[me] | 1 << deck))
        if not self.redraws:
            state = state.replace(drawn=replaced(self.drawn, deck, state.after_drawing(deck, card)))
        if kind == JAIL:
            return state.jailed()
        if kind == BACK:
            return state.replace(place=replaced(self.place, me, self.place[me] - number)).landed(1)
        if kind in (ADVANCE, NEAREST):
            square = number
            if kind == NEAREST:
                square = self.place[me]
                while GROUP[square] != number:
                    square = (square + 1) % SQUARES
            return state.moved_to(square).landed(2 if kind == NEAREST else 1)
        gain = number if kind in (MONEY, FROM_OTHER) else 0
        if kind == REPAIRS:
            gain = -self.repairs(number, REPAIRS_HOTEL[deck])
        other = -self.turn if kind == FROM_OTHER else 0
        if gain <= 0:
            state = state.charged(self.turn, other, -gain)
        else:
            state = state.charged(other, self.turn, gain) if other != 0 else state.earned(self.turn, gain)
        return state.finished()

    def repairs(self, house: int, hotel: int) -> int:
        """Return the price of repairs of the side whose turn it is, by prices of a house and of a hotel."""
        total = 0
        for square in self.owned[seat(self.turn)]:
            level = level_of(self.houses, square)
            total += hotel if level == HOTEL else level * house
        return total

    def after_drawing(self, deck: int, card: int) -> int:
        """Return the cards of a deck drawn so far: none after the last one, because the deck is then shuffled."""
        drawn = self.drawn[deck] | 1 << card
        for other in range(CARDS):
            if not (drawn >> other & 1 or self.is_kept(deck, other)):
                return drawn
        return 0

    def bought(self, player: int, price: int) -> Property:
        """Return the state after a player has bought the square where the side whose turn it is stands."""
        me = seat(player)
        square = self.place[seat(self.turn)]
        owned = replaced(self.owned, me, self.owned[me] | Bitboard(1) << square)
        return self.earned(player, -price).replace(owned=owned, bidder=0, bid=0, leader=0).finished()

    def called(self, move: int) -> Property:
        """Return the state after a bid or a pass in an auction. It ends with a pass after a bid, or two passes."""
        if move != PASS:
            bid = self.bid + (BID_STEP if move == BID else BID_LARGE_STEP)
            return self.replace(bid=bid, leader=self.bidder, bidder=-self.bidder)
        if self.leader != 0:
            return self.bought(self.leader, self.bid)
        if self.bidder == -self.turn:
            return self.replace(bidder=self.turn)
        return self.replace(bidder=0).finished()

    # ---- the result ---------------------------------------------------------------------------------------

    def resources(self, player: int) -> int:
        """Return the cash that a player can raise: all houses sold, all properties mortgaged."""
        total = self.cash[seat(player)]
        for square in self.owned[seat(player)]:
            total += level_of(self.houses, square) * (HOUSE_PRICE[square] // 2)
            if square not in self.mortgaged:
                total += mortgage_value(square)
        return total

    def worth(self, player: int) -> int:
        """Return what a player has at the end: cash, properties, mortgaged ones at half, and houses at their price."""
        total = self.cash[seat(player)]
        for square in self.owned[seat(player)]:
            total += level_of(self.houses, square) * HOUSE_PRICE[square]
            total += mortgage_value(square) if square in self.mortgaged else PRICE[square]
        return total

    def is_over(self) -> bool:
        return self.bankrupt != 0 or self.turns == 0

    def utility(self) -> int:
        if self.bankrupt != 0:
            return -self.bankrupt
        ours, theirs = self.worth(MAX), self.worth(MIN)
        return int(ours > theirs) - int(ours < theirs)

    def playout_move(self, random: int) -> int:
        """Buy what can be paid, build and redeem with cash to spare, sell only to pay a debt; all without chance.

        After random moves a whole group is a loss: they mortgage and sell what has just been built.
        """
        me = seat(self.to_move())
        if self.phase == AUCTION:
            worth = PRICE[self.place[seat(self.turn)]]
            return BID if self.bid + BID_STEP <= min(worth, self.cash[me]) else PASS
        if self.phase == BUY:
            return TAKE if self.cash[me] >= PRICE[self.place[me]] else DECLINE
        last = ROLL
        for move in self.moves():
            if self.phase == MANAGE:
                if move >= BUILD and move < SELL and self.cash[me] >= HOUSE_PRICE[move - BUILD] + RESERVE:
                    return move
                if move >= REDEEM and self.cash[me] >= redemption_price(move - REDEEM) + RESERVE:
                    return move
            else:
                last = move
                if move >= MORTGAGE:
                    return move
        return last

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Property:
        """Parse a position (`zermelo.games.property.notation`). Raises `PositionError` with the word that is wrong."""
        state = cls(**notation.parse_fields(text))
        notation.check_debt(state)
        return state

    def __str__(self) -> str:
        return notation.position(self)

    def board(self) -> str:
        """Draw what both players have, and where they stand."""
        return notation.board(self)

    def picture(self) -> Grid:
        """Return the squares in a ring, with both players' discs."""
        return picture(self)

    def move_path(self, move: int) -> Path:
        """Return the square that the player builds on, sells from, mortgages or redeems."""
        return (cell_of(move % SQUARES),) if move >= BUILD else ()

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second"}.get(player, "the dice")

    def move_name(self, move: int) -> str:
        return notation.move_name(self, move)

    def termination(self) -> str:
        return "bankruptcy" if self.bankrupt else "end of time"
