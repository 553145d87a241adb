"""Classify the words of a query by what they say about its subject.

In a small project or in code a function word may be rare, so its IDF does not show that it says little. Queries and
estimates of relevance count these words less.
"""

from enum import Enum
from functools import cache

from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.terms import stem_words

_ENGLISH = frozenset(
    """
    a an the and or nor but if then else so than as because since until unless while whereas though although whether
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones self
    myself yourself itself themselves someone anyone everyone something anything everything nothing thing things
    this that these those there here such same other others another own each every either neither both all any some
    few several many much more most less least enough no none not never ever only just also too very quite rather
    even still yet already again once always often usually sometimes instead else about
    what which who whom whose how why when where
    of with by from in to on at into onto upon for off out up down over under above below between among through
    during before after within without against across along around behind beside besides beyond toward towards via per
    be am is are was were been being do does did doing done have has had having can could will would shall should may
    might must cannot let get gets got getting make makes made making go goes going come comes
    use uses used using want wants need needs know like likes know knows tell give gives take takes put mean means
    happen happens seem seems become becomes keep please
    way ways kind sort lot two first new good best well
    s t d m re ve ll don doesn didn isn aren wasn weren won couldn shouldn wouldn hasn haven ain
    """.split()
)
"""Function words, and verbs and nouns that occur in questions about any subject."""
_COMMON = """
    able accept access account act action active actual add address affect age agree allow amount answer appear
    apply approach area arise ask aspect associate assume attempt available average avoid back bad base basic begin
    behaviour benefit better big body book bring build call care carry case cause central certain chance change
    character check choice choose city class clear close collect combine common company compare complete complex
    concern condition connect consider consist contain content context continue contribute control copy correct cost
    count country couple course cover create current cut data date day deal decide deep define degree depend
    describe design detail determine develop difference different difficult direct discuss display distance
    distribute divide document draw drive early easy effect effective eight element end engine enter entire equal
    error establish estimate evaluate event evidence exact example except exist expect experience explain express
    extend external extreme face fact factor fail fall family far fast father feature feel field figure file fill
    final find fine finish five fix follow food form former forward four free frequent friend full function future
    gain general generate global great group grow half hand handle hard head hear heavy help high history hold home
    hour human idea identify image important improve include increase individual influence inform information
    initial inside instance intend interest internal introduce involve issue item job join kill label lack land
    language large last late law lead learn leave left length letter level lie life light limit line link list live
    load local locate long look lose low main major manage manner mark material matter maximum measure meet member
    mention message method middle million mind minimum minute miss model modern moment money month morning mother
    mountain move multiple name national natural nature near necessary network next night nine normal note notice
    number object observe obtain occur offer office old open operate operation opinion order organise original
    output outside page pair paper parent part particular party pass past pattern pay people percent perform period
    permit person phase phone physical pick picture piece place plan play point policy poor popular position
    possible power practice predict prefer prepare presence present press pressure prevent previous price primary
    print private probable problem proceed process produce product program project proper property propose protect
    prove provide public pull purpose push quality quantity question quick raise range rate reach read ready real
    reason receive recent recognise record reduce refer reflect region regular relate relation release remain
    remember remove repeat replace report represent request require research resource respect respond response
    responsible rest result return right rise role rule run safe sale save say scale scene school season second
    section see select sell send sense separate sequence serious serve service set seven shape share short show shut
    side sign significant similar simple single sit situation six size skill slow small social solution solve source
    space speak special specific speed spend stage stand standard star start state statement static stay step stop
    store story street strong structure student study style subject success sudden suggest suitable summary supply
    support suppose surface system table talk task teach team technique technology ten tend term test text theme
    theory think third thousand three throw time today together tool top total touch town trade tradition transfer
    travel treat true try turn type typical understand unit unknown user usual valid value variable various vary
    version view visit voice wait walk war watch water weak wear week weight white whole wide win window wish woman
    word work world worth write wrong year yellow young zero
"""
"""Words that occur in texts about most subjects."""
_CHINESE = frozenset(
    "的了是在和与及或也都就而但不没有什么怎样为何吗呢吧哪谁几多少个这那其之于以被把对从到给让可能会要该应我你他她它们请问如时候"
    "與麼樣為嗎誰幾個這對從給讓會應們請問時"
)
"""Characters of Chinese function words, simplified and traditional."""
_JAPANESE = frozenset("何誰")


class WordClass(Enum):
    """What a query word says about the subject of a query."""

    CONTENT = "content"
    COMMON = "common"
    """A word that occurs in texts about most subjects."""
    MIXED = "mixed"
    """A pair of characters of which one belongs to a function word or an ending."""
    FUNCTION = "function"


CLASS_WEIGHTS = {WordClass.CONTENT: 1.0, WordClass.COMMON: 0.4, WordClass.MIXED: 0.25, WordClass.FUNCTION: 0.1}
"""How much a word says about the subject of a query, relative to a content word of the same IDF."""


def classify_word(word: str) -> WordClass:
    """Classify a query word by what it says about the subject.

    Text without spaces is split into pairs of characters. Hiragana are mostly particles and endings.

    >>> [classify_word(word).value for word in ("When", "chain", "Systems", "検索", "索す", "する", "什么", "怎么配")]
    ['function', 'content', 'common', 'content', 'mixed', 'function', 'function', 'mixed']
    """
    if not has_cjk(word):
        if word.lower() in _ENGLISH:
            return WordClass.FUNCTION
        return WordClass.COMMON if stem_words([word.lower()])[0] in _common_stems() else WordClass.CONTENT
    grammatical = sum(map(_is_grammatical, word))
    if grammatical == len(word):
        return WordClass.FUNCTION
    return WordClass.MIXED if grammatical else WordClass.CONTENT


def _is_grammatical(character: str) -> bool:
    """Check whether a character usually belongs to a particle, an ending or a function word."""
    return "ぁ" <= character <= "ゟ" or character in _CHINESE or character in _JAPANESE


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(stem_words(_COMMON.split()))
