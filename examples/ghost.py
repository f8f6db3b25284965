"""Ghost, with strings: players add letters in turn, which must begin a word; the player who completes one loses."""

from zermelo import MAX, game

LIST = """
anchor angle ant apple april arrow badge bagel bean bear belt bench berry bishop bread bridge butter cabin camel candle
carpet castle cedar cheese circle cloud copper dance desert dinner doctor dragon eagle early east echo engine evening
fable family feather field finger flower garden giant ginger glass golden grape guitar hammer harbor hazel helmet honey
island ivory jacket jelly jungle kettle kitchen ladder lemon letter lion marble melon mirror monkey needle night north
number ocean olive onion orange otter paper parrot pepper piano planet queen quiet rabbit raven river rocket saddle
salmon shadow silver spider table tiger tunnel turtle uncle valley velvet violin wagon water whale window winter zebra
"""
WORDS = frozenset(LIST.split())


@game(compiled=False)
class Ghost:
    """Ghost. The position is the letters so far and the side to move."""

    letters: str = ""
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        length = len(self.letters)
        return sorted({word[length] for word in WORDS if word.startswith(self.letters)})

    def play(self, letter):
        return Ghost(self.letters + letter, -self.turn)

    def is_over(self):
        return self.letters in WORDS

    def utility(self):
        return self.turn  # the other side completed the word

    def board(self):
        return self.letters or "(no letters)"
