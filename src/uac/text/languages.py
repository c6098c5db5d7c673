"""The languages that search knows: their scripts, function words and stemmers.

Function words identify languages and are left out of queries. Words of a language without a stemmer are not stemmed.
"""

from collections.abc import Mapping
from typing import Protocol, cast

__all__ = [
    "BY_SCRIPT",
    "CUTS",
    "FUNCTION_WORDS",
    "IRREGULAR",
    "LETTERS",
    "LIGHT",
    "PARTICLES",
    "SCRIPTS",
    "SEEN_IN_ENGLISH",
    "stemmer_of",
]


class WordStemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  # the name is theirs


def stemmer_of(language: str) -> WordStemmer | None:
    """A new stemmer: a stemmer stores the word it works on, so threads must not share one."""
    import Stemmer  # type: ignore[import-not-found]  # the package has no types

    name = _STEMMERS.get(language)
    return cast("WordStemmer", Stemmer.Stemmer(name, 0)) if name else None  # stems are cached by the caller


_STEMMERS: Mapping[str, str] = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
"""The name of each language's stemmer."""

SCRIPTS: tuple[tuple[int, str], ...] = (
    (0x0000, "latin"),
    (0x0370, "greek"),
    (0x0400, "cyrillic"),
    (0x0530, "armenian"),
    (0x0590, "hebrew"),
    (0x0600, "arabic"),
    (0x0700, ""),
    (0x0750, "arabic"),
    (0x0780, ""),
    (0x08A0, "arabic"),
    (0x0900, "devanagari"),
    (0x0980, "bengali"),
    (0x0A00, "gurmukhi"),
    (0x0A80, "gujarati"),
    (0x0B00, "odia"),
    (0x0B80, "tamil"),
    (0x0C00, "telugu"),
    (0x0C80, "kannada"),
    (0x0D00, "malayalam"),
    (0x0D80, "sinhala"),
    (0x0E00, "thai"),
    (0x0E80, "lao"),
    (0x0F00, ""),
    (0x1000, "myanmar"),
    (0x10A0, "georgian"),
    (0x1100, "hangul"),
    (0x1200, "ethiopic"),
    (0x13A0, ""),
    (0x1780, "khmer"),
    (0x1800, ""),
    (0x1E00, "latin"),
    (0x1F00, "greek"),
    (0x2000, ""),
    (0x3005, "han"),
    (0x3008, ""),
    (0x3040, "kana"),
    (0x3100, ""),
    (0x31F0, "kana"),
    (0x3200, ""),
    (0x3400, "han"),
    (0xA000, ""),
    (0xAC00, "hangul"),
    (0xD7B0, ""),
    (0x20000, "han"),
    (0x40000, ""),
)
"""Where each script begins; it goes on to the next line."""

BY_SCRIPT: Mapping[str, tuple[str, ...]] = {
    "latin": (
        "en",
        "es",
        "pt",
        "fr",
        "de",
        "it",
        "nl",
        "pl",
        "tr",
        "ro",
        "sv",
        "cs",
        "hu",
        "no",
        "da",
        "fi",
        "ca",
        "id",
    ),
    "cyrillic": ("ru", "uk", "bg", "sr"),
    "arabic": ("ar", "fa", "ur"),
    "greek": ("el",),
    "armenian": ("hy",),
    "hebrew": ("he",),
    "devanagari": ("hi",),
    "bengali": ("bn",),
    "gurmukhi": ("pa",),
    "gujarati": ("gu",),
    "odia": ("or",),
    "tamil": ("ta",),
    "telugu": ("te",),
    "kannada": ("kn",),
    "malayalam": ("ml",),
    "sinhala": ("si",),
    "thai": ("th",),
    "lao": ("lo",),
    "myanmar": ("my",),
    "georgian": ("ka",),
    "hangul": ("ko",),
    "ethiopic": ("am",),
    "khmer": ("km",),
    "kana": ("ja",),
    "han": ("zh", "ja"),
}
"""The languages of a script that are told apart. The first is meant where nothing tells them apart, and of two that
are as likely the one that stands first.
"""

LETTERS: Mapping[str, str] = {
    "ß": "de",
    "ä": "de fi sv",
    "ö": "de fi hu sv tr",
    "ü": "de hu tr",
    "ñ": "es",
    "á": "cs es hu pt",
    "í": "cs es hu pt",
    "ó": "es hu pl pt",
    "é": "es fr hu pt",
    "è": "ca fr it",
    "ê": "fr pt",
    "à": "ca fr it",
    "ò": "ca it",
    "ù": "fr it",
    "ì": "it",
    "œ": "fr",
    "ç": "ca fr pt tr",
    "ã": "pt",
    "õ": "pt",
    "ő": "hu",
    "ű": "hu",
    "ı": "tr",
    "ğ": "tr",
    "ş": "ro tr",
    "ș": "ro",
    "ț": "ro",
    "ă": "ro",
    "å": "da no sv",
    "ø": "da no",
    "æ": "da no",
    "ł": "pl",
    "ą": "pl",
    "ę": "pl",
    "ś": "pl",
    "ż": "pl",
    "ě": "cs",
    "ř": "cs",
    "ů": "cs",
    "č": "cs",
    "ы": "ru",
    "э": "ru",
    "ё": "ru",
    "ъ": "bg ru",
    "і": "uk",
    "ї": "uk",
    "є": "uk",
    "ґ": "uk",
    "ђ": "sr",
    "ћ": "sr",
    "љ": "sr",
    "њ": "sr",
    "џ": "sr",
    "ј": "sr",
    "پ": "fa ur",
    "چ": "fa ur",
    "گ": "fa ur",
    "ژ": "fa",
    "ٹ": "ur",
    "ڈ": "ur",
    "ڑ": "ur",
    "ں": "ur",
    "ے": "ur",
    "ہ": "ur",
}
"""Letters that speak for some languages of their script."""

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.casefold().translate(dict.fromkeys(map(ord, "أإآٱ"), "ا")).split())
    for language, words in {
        "en": """a about again all also am an and any are aren as at be because been before being but by can could
            couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn
            have haven having he her here hers him his how i if in into is isn it its just ll m me more most my
            no nor not now of off on once only or other our ours out over own re s same she should so some such
            t than that the their theirs them then there these they this those through to too up us ve very was
            wasn we were weren what when where which while who whom whose why will with would you your yours
            tell know remember please""",
        "es": """a al algo alguna alguno ante antes aquí así aunque cada como cómo con contra cual cuál cuales cuáles
            cuando cuándo cuanto cuánto de del desde donde dónde dos e el él ella ellos en entre era eres es esa
            ese eso esta está están estaba estas este esto estos estoy fue fueron ha había han has hasta hay he
            hemos la las le les lo los más me mi mí mis mucho muy nada ni no nos nosotros o os otra otro para
            pero poco por porque qué que quien quién se sea ser si sí sin sobre son soy su sus también tan te
            tengo ti tiene tienes todo tu tú tus un una uno unos usted y ya yo""",
        "pt": """a à ao aos aquela aquele aquilo as às até com como da das de dela dele delas deles depois do dos e é
            ela ele elas eles em entre era eram essa esse esta está estão estava este eu foi foram há isso isto
            já lhe mais mas me mesmo meu minha meus minhas muito na não nas nem no nos nós nossa nosso num numa
            o os ou para pela pelo por porque qual quais quando quanto que quê quem onde se sem ser seu sua seus
            suas só sobre são também te tem têm tenho ter tinha tu tua teu um uma você vocês sou estou""",
        "fr": """à a ai alors as au aucun aussi autre aux avait avec avez avoir avons c ce ces cet cette chez comme
            comment d dans de des du elle elles en est et étais était été être eu fait font il ils j je l la là
            le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas pendant
            peu plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son
            sont suis sur t ta te tes toi ton très tu un une vos votre vous y combien""",
        "de": """aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den
            denn der des dich die dir doch du durch ein eine einem einen einer eines er es etwas euch für gegen
            habe haben hast hat hatte hatten hier ich ihm ihn ihr ihre im in ist ja jetzt kann kein keine man
            mein meine meinem meinen meiner mich mir mit nach nicht noch nun nur ob oder ohne schon sehr sein
            seine sich sie sind so über um und uns unser unter vom von vor wann war waren warum was weil welche
            welcher wenn wer werden wie wieder wir wird wo wurde zu zum zur zwischen""",
        "it": """a abbiamo ad agli ai al alla alle allo anche ancora avere aveva c che chi ci come con cosa cui da
            dagli dai dal dalla de degli dei del della delle dello di dopo dove e è ed era erano essere fa fu
            gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli
            nei nel nella nelle noi non nostra nostro o ogni per perché più po poi qual quale quali quando
            quanto quella quelle quello questa queste questi questo se sei senza si sia sono sta stato su sua
            sue sui sul sulla suo tra tu tua tuo un una uno vi voi""",
        "nl": """aan al alles als altijd andere ben bij daar dan dat de deze die dit doch doen door dus een en er ge
            geen haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jouw jullie
            kan kon maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op
            over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer waren was wat werd wel
            welke werden wie wij wil word worden zal ze zelf zich zij zijn zo zonder zou""",
        "pl": """a aby ale bez bo być był była było były by ci co czy dla do gdy gdzie go i ich ile im ja jak jaka
            jaki jakie jako je jego jej jest jestem jeszcze już kiedy kto która które który lub ma mam mi mnie
            moja moje mój może my na nad nam nas nie nim o od on ona one oni oraz po pod przed przez przy są się
            sobie ta tak także te tego tej ten też to tu ty tylko u w we wszystko z za ze że""",
        "tr": """acaba ama ancak bana bazı belki ben benim beni bir biraz biz bizim bu bunu bunun çok çünkü da daha
            de değil diye en gibi hangi hem hep hiç için içinde ile ise kadar kaç ki kim mı mi mu mü nasıl ne
            neden nerede nereye niçin o olan olarak oldu olduğu olduğunu on ona onu onun onlar sana sen senin
            siz sizin sonra şey şu tüm var ve veya ya yani yok zaman""",
        "ro": """a acea această acest aceste acum ai al ale am ar are aș asta așa au avea avem ca când care ce cel
            cea cine cu cum că da dar de decât despre din după e ea ei el ele era este eu fi fie fost iar în îi
            îl îmi își la le lui lor mai mă mea meu mei mele mi mie mult ne nici noi nostru noastră nu o ori pe
            pentru prin sa să sale sau se si și sunt sunteți suntem ta te toate tot tu tău un una unde unei unor
            unui va voi vom vor cât""",
        "sv": """alla allt att av bara blev bli blir både de dem den deras dess det detta dig din dina ditt du där då
            efter ej eller en er ett från för ha hade han har hans henne hennes hon honom hur här i icke inte in
            jag kan kunde man med mellan men mig min mina mitt mot mycket ni nu när något några och om oss på
            samma sedan sig sin sina själv ska skulle som så till under upp ut utan vad var vara varför varit
            vem vi vid vilken är över""",
        "cs": """a aby ale ani až bez by byl byla bylo být co což či do ho i já jak jaké jaký je jeho její jejich jen
            ještě ji jsem jsi jsme jsou jste k kam kde kdo kdy když která které který má mám máš mě mi mne můj
            moje mu my na nad nebo není než nic o od on ona oni po pod podle pro proč proto před při s se si so
            své svůj ta tak také tam ten tento to tom tu ty u už v ve více však vy z za že""",
        "hu": """a abban ahhoz akkor aki ami az azt azért be benne csak de egy egyik el ez ezek ezen ezt és fel hanem
            hogy hol ha hány ide igen ilyen is itt jó kell ki kik le legyen lehet lesz lett ma már meg mi mikor
            mint mit milyen minden miért most nagyon ne nekem neki nekünk nem nincs olyan ott össze ő ők pedig
            sem s se són szerint tehát te ti tud úgy utána vagy vagyok van vannak vele volt volna voltam én""",
        "no": """alle at av bare ble bli blir da de deg dem den denne deres det dette din dine du eg en er et etter
            for fordi fra før ha hadde han hans har hennes her hun hva hvem hver hvilken hvor hvordan hvorfor i
            ikke inn ja jeg kan kunne man med meg mellom men mer min mine mitt mot mye nå når noe noen nei og
            også om opp oss over på seg selv si sin sine skal skulle slik som så til under ut uten var vi vil
            ville vært være""",
        "da": """ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din dine disse
            dog du efter eller en end er et for fra før ha havde han hans har hendes her hun hvad hvem hver
            hvilken hvis hvor hvordan hvorfor hvornår i ikke ind ja jeg jo kan kunne man mange med meget men
            mere mig min mine mit mod noget nogle nu når og også om op os over på selv sig sin skal skulle som
            så til ud uden under var vi vil ville være været""",
        "fi": """ei eikä eivät emme en että hän häneen hänen hänet he heidän ja jo joita joka joku jos josta jotka
            kanssa kuin kuka kun kuinka me mihin miksi mikä millainen milloin minua minulla minulle minun minut
            minä missä mistä mitä mutta muu mutta myös ne niiden niin niitä noin nyt nämä ole olemme olen olet
            oli olin olivat olla on ovat sekä se sen siellä siihen siinä sinä sinun sitä tai te tuo tässä tämä
            tämän tätä vaan vai vain voi""",
        "ca": """a al als amb això aquest aquesta aquests aquí bé cada com d de del dels des el ell ella ells els em
            en encara entre era eren és està estic et fa fins ha han has havia he hem hi i igual jo l la les li
            llavors lo m ma més meu meva mi molt n ni no nosaltres o on para pel pels per però perquè poc què
            qual quan quant que qui s sense ser ses seu seva si sobre sóc són t també te tenir tinc teva teu tot
            tu un una unes uns vaig va vostè""",
        "id": """ada adalah agar akan aku anda apa apakah atau bagaimana bagi bahwa banyak belum berapa bisa boleh
            bukan dalam dan dapat dari dengan di dia dimana hanya harus hingga ia ini itu jika juga kalau kami
            kamu kapan karena kata ke kepada ketika kita lagi lebih maka masih mana mengapa mereka mungkin oleh
            pada para pernah saat saja sama sangat saya sebagai sebuah sedang sejak seperti setelah siapa sudah
            supaya tapi telah tentang tetapi tidak untuk yang""",
        "ru": """а без более бы был была были было быть в вам вас ведь во вот все всё вы где да даже для до его ее её
            если есть ещё еще же за здесь и из или им их к как какая какие какой когда кто ли мне меня мной мои
            мой моя моё мы на над нас не него нет ни но ну о об он она они оно от по под при про с сам свой себя
            со так также там тебе тебя то тоже только тот ты у уже чего чем что чтобы эта эти это этот я почему
            куда сколько очень""",
        "uk": """або але б без би був була були було бути в вам вас ви від він вона вони все де для до є з за же й
            його її їх і із коли куди ким лише мене мені ми мій моя моє на над нас не немає ні ну о про по під
            при так також та те ти тебе тобі той тільки то у уже хто це цей ця ці чи чого чому що щоб як яка
            який які якщо я скільки дуже""",
        "bg": """а ако аз без беше би бях в ваш все вас ви във го да дали дори до е един една ето за защо и из или
            има им как какво когато кога коя кой колко къде ли ме ми между много моя моят мой на над най не него
            нея ни ние но някой о от още по под при се с само си са след към със съм имам сме сте също така там те ти
            това този тази тези тук те тя той ще я""",
        "sr": """а ако али без би био била било бити бих у ви во где да до за зашто због и из или им има имам ја је
            како када ко кога код које који која колико куда ли ме мене ми мој моја моје на над нам нас не него
            није нисам о од он она они по под при са се сам само си смо су сте та тај тако такође те теби ти то
            ту што ово овај ове ће ћу""",
        "el": """α αλλά αν από αυτά αυτή αυτό αυτός για γιατί δε δεν εγώ εδώ είμαι είναι είσαι είχε εκεί ένα έναν
            ένας έχει έχεις έχω ή η ήταν θα και κάθε κάτι κι μα μας με μετά μη μην μια μία μου να ο οι όμως όπως
            όταν ότι όχι πιο ποια ποιο ποιος πολύ πού πότε που πριν πως πώς σαν σας σε στα στη στην στις στο
            στον στους σου τα της τι τις το τον του τους των τη την ως πόσο""",
        "ar": """في من إلى على عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم هن أنا نحن أنت أنتم كان كانت يكون كنت
            ما ماذا متى أين كيف لماذا هل من كم أي و أو ثم لا لم لن ليس قد إن أن كل بعد قبل عند حتى إذا لو لكن
            بين كما منذ يا لي لك له لها به بها فيه فيها هناك هنا أيضا جدا غير سوف إلا لدي عندي عليه منه""",
        "fa": """از به با در و که این آن را برای تا من تو او ما شما آنها است هست بود بودم بودن شد شده می های ها هم یا
            اما اگر چه چرا چی کجا کی چند چگونه هر یک نه نیز پس پیش بعد همه هیچ خود دارم دارد داری ام ای اند بر
            خیلی فقط کرد""",
        "ur": """اور ہے ہیں کا کی کے کو سے میں پر نے یہ وہ تھا تھی تھے ہوں ہو کیا کب کہاں کیوں کون کیسے میرا میری
            میرے مجھے آپ ہم تم اس ان ایک نہیں بھی تو جو کہ یا لیکن اگر کر گیا گئی لیے ساتھ بہت""",
        "he": """של את על אל עם זה זו זאת אני אתה את הוא היא אנחנו אתם הם הן לא כן כי אם או גם רק יש אין היה הייתה
            היו מה מי מתי איפה איך למה כמה האם כל עוד כבר אבל אז כך לי לך לו לה לנו שלי שלך שלו שלה בין אחרי
            לפני מאוד אותי אותו אותה כאן שם איזה הזה הזאת""",
        "hi": """का की के को से में पर ने है हैं था थी थे हूँ हूं हो और या भी तो ही कि जो यह ये वह वे इस उस इन उन मैं मैंने मुझे मेरा मेरी मेरे
            हम हमें हमारा आप आपका आपकी आपके तुम तुम्हारा क्या कब कहाँ कहां क्यों कैसे कौन कितना कितने कितनी एक नहीं न मत कर
            करना किया गया गई गए लिए साथ बाद अब जब तब लेकिन अगर कुछ बहुत रहा रही रहे अपना अपनी अपने कौनसा किस""",
    }.items()
}
"""Articles, pronouns, prepositions, forms of to be and to have, question words; with the letters that terms have."""

SEEN_IN_ENGLISH = frozenset(
    """a ad ada ai al ale alle also am an apa ar are as at au bare ben bin biz by c ca care co com come comment con
    contra d da dan de del den der des di dia die dig din dine dir do dog door dos dove du e ed el ella elle em en
    end er era es fa fi fie fins font for go ha had han hans hat hay he hem her hi hon hun i ide il in ini inn is j
    ja jag jen jo k kam ki kim l la las le les lo los m ma man mana mange me men mere met mi mia min mine mint mit
    mod mot mu my n na nada ni no non nu nun o of ole om on one os over par para pas pendant per plus pod pour pro
    que qui s sa sale sans se sea sedan sense si sin ska so son soy sue sur t ta tai tan te ten ti til till to tom
    ton tot tu u um un und under ut v vain van var vi vid ville volt von vor w war was we wel wie word y ya yang yo
    z""".split()
)
"""Words of other tables that English texts hold too, often in names: they say little about the language."""

IRREGULAR: Mapping[str, str] = dict(
    pair.split("-")
    for pair in """ate-eat eaten-eat began-begin begun-begin bought-buy brought-bring broke-break broken-break
    built-build came-come caught-catch chose-choose chosen-choose children-child drank-drink drove-drive
    driven-drive fed-feed feet-foot fell-fall fallen-fall felt-feel flew-fly flown-fly forgot-forget
    forgotten-forget fought-fight found-find gave-give given-give gone-go got-get gotten-get grew-grow
    grown-grow held-hold kept-keep knew-know known-know lost-lose made-make meant-mean men-man met-meet
    mice-mouse paid-pay ran-run rode-ride ridden-ride said-say sang-sing sung-sing sat-sit saw-see
    seen-see sent-send shook-shake slept-sleep sold-sell spent-spend spoke-speak spoken-speak
    stole-steal stolen-steal stood-stand swam-swim taken-take took-take taught-teach teeth-tooth
    told-tell thought-think threw-throw thrown-throw understood-understand went-go wives-wife woke-wake
    women-woman won-win wore-wear worn-wear wrote-write written-write knives-knife wolves-wolf""".split()
)
"""English forms that no ending explains. Where a form is a common word of its own, as "left" is, it is not here."""

CUTS: Mapping[str, tuple[str, ...]] = {
    language: tuple(words.split())
    for language, words in {
        "zh": """的 了 吗 嗎 呢 吧 啊 是 我 你 您 他 她 它 们 們 这 這 那 什么 什麼 甚麼 怎么 怎麼 怎样 怎樣 哪里
            哪裡 哪儿 哪个 哪個 哪些 谁 誰 为什么 為什麼 什么时候 什麼時候 多少 几个 幾個 一个 一個 没有 沒有
            可以 是否 是不是 有没有 有沒有 因为 因為 所以 如果 还是 還是 或者 以及 关于 關於 请问 請問 告诉 告訴
            时候 時候""",
        "ja": """は が を に で と も の へ や か から まで です ですか でした ます ました ますか ません ください
            という こと もの これ それ あれ この その あの ここ そこ どこ だれ いつ なに なぜ どう どの どんな
            ある いる あります います する した して しました している ない なかった 何 誰 私 僕 俺 彼 彼女
            あなた について""",
        "th": """ที่ และ ของ ฉัน ผม คุณ เขา เธอ เรา มี เป็น อยู่ ใน ให้ ได้ ไป มา จาก กับ หรือ แต่ ก็ ว่า นี้ นั้น อะไร ไหม เมื่อไหร่ เมื่อไร
            ที่ไหน ไหน ทำไม อย่างไร ใคร ครับ ค่ะ คะ แล้ว จะ ไม่ เคย กี่ เท่าไหร่""",
    }.items()
}
"""Function words at which a question in a script without spaces is cut; no character that many words hold."""

LIGHT = frozenset("一有在不和也都很就会會要对對把被给給跟从從到去来來个個里裡上中下过過还還再又没沒做可能")
"""Chinese characters that mean little on their own."""

PARTICLES = tuple(
    """에서는 에게서 으로는 이라고 에서 에게 한테 으로 까지 부터 하고 이나 이랑 처럼 보다 마다 에는 에도 은
    는 이 가 을 를 에 의 로 와 과 도 만 랑 나 야""".split()
)
"""What Korean words end in, the longest first."""
