"""Accounts, payments, limits, subscriptions, insurance, investments and savings."""


@many("name")
class Account:
    """A bank account, card, loan, deposit, brokerage or retirement account of the user."""

    name: str
    "As the user calls it: 'Wells Fargo checking', 'Visa', 'family trust account'."
    institution: str | None
    kind: (
        Literal[
            "checking",
            "savings",
            "deposit",
            "card",
            "loan",
            "investment",
            "retirement",
            "trust",
            "cash",
            "other",
        ]
        | None
    )
    "'deposit' is money that is locked until a date, such as a CD."
    last_four: str | None
    primary: bool | None
    balance: Money | None
    "What is in it; of a card or a loan: what is owed."
    balance_on: date | None
    "The day on which the balance was right."
    credit_limit: Money | None
    rate: Decimal | None
    "Interest in percent a year."
    minimum_payment: Money | None
    minimum_percent: Decimal | None
    "The least payment a month in percent of the balance; of this and minimum_payment the greater counts."
    autopay: Literal["minimum", "full"] | None
    "Which payment of a card is made by itself each month."
    promo_rate: Decimal | None
    promo_from: date | None
    promo_until: date | None
    "The last day of the promotional rate."
    matures: date | None
    penalty_months: int | None
    "Months of interest that a withdrawal before it matures costs."
    closes: date | None
    "The day on which the user closes it, planned or done."
    notes: str | None


@event()
class Transaction:
    """Money that has moved: a charge, a payment, a refund, income. The same one told twice is one record."""

    payee: str
    "The other side: a shop, a firm, a person."
    amount: Money
    on: date
    account: str | None
    what: str | None
    category: str | None
    "Such as groceries, dining, travel."
    direction: Literal["out", "in"] | None
    "None counts as out."
    reference: str | None
    "The bank's or the shop's number of this one transaction."
    invoice: str | None
    "The number or name of the invoice or bill that it pays."


@event()
class Transfer:
    """Money to be sent, or sent, to an account of somebody."""

    recipient: str
    amount: Money
    status: Literal["pending", "sent"]
    purpose: str | None
    institution: str | None
    "The bank it goes to."
    last_four: str | None
    "The last digits of the account it goes to."
    paid_from: str | None
    asked_by: str | None
    asked_on: date | None
    on: date | None
    "The day on which it is to be sent, if one is set, or was sent."
    invoice: str | None
    "The number or name of the invoice or bill that it pays."
    notes: str | None


@many("what")
class PlannedPayment:
    """A planned purchase, bill, gift or investment; ended when done or dropped."""

    what: str
    amount: Money | None
    payee: str | None
    paid_from: str | None
    "The account or card, as the user calls it."
    on: date | None
    "None: soon, no day said."
    kind: Literal["purchase", "bill", "donation", "investment", "other"] | None
    category: str | None
    described: list[str]
    "How the user describes it: 'super volatile', 'a bargain'."
    risk: Literal["low", "medium", "high"] | None
    project: str | None
    "What it is for: the kitchen, the garden shed."
    notes: str | None


@many("what")
class RegularPayment:
    """A payment that comes again and again: rent, a bill, an instalment, a savings deposit."""

    what: str
    amount: Money | None
    every: Literal["week", "two weeks", "month", "quarter", "year"] | None
    day: int | None
    "The day of the month."
    next_due: date | None
    until: date | None
    "The last one, if it ends."
    payee: str | None
    paid_from: str | None
    paid_into: str | None
    "An own account, for savings."
    autopay: bool | None
    still_to_pay: bool | None
    "The user said that the present one is still open."
    since: date | None
    "From when on the amount holds."
    earlier_amount: Money | None
    "What it was before `since`."


@many("name")
class Subscription:
    """A service or a membership that is paid until somebody cancels it."""

    name: str
    provider: str | None
    price: Money | None
    every: Literal["week", "month", "quarter", "year"] | None
    renews: date | None
    "The next day on which it renews; the end of a trial."
    notice_days: int | None
    "How many days before it renews the provider must know."
    trial: bool | None
    wants_to_cancel: bool | None
    cancelled_on: date | None
    ends: date | None
    "The last day that is paid for, once it is cancelled."
    paid_from: str | None
    started: date | None
    price_since: date | None
    "From when on the price holds."
    earlier_price: Money | None
    "What it was before `price_since`."
    notes: str | None


@many("source")
class Income:
    """Money that comes in regularly: a salary, a pension, rent from a tenant."""

    source: str
    amount: Money | None
    every: Literal["week", "two weeks", "month", "quarter", "year"] | None
    next_on: date | None
    since: date | None
    "From when on the amount holds."
    earlier_amount: Money | None
    "What it was before `since`."


@many("who", "what")
class Loan:
    """Money or a thing lent to, or borrowed from, somebody; ended when it is back."""

    who: str
    "The other person. A bank's loan is an Account."
    what: str
    "The thing, or 'money'; if there are several loans, what it was for."
    direction: Literal["lent", "borrowed"]
    "Borrowed: the user owes it."
    amount: Money | None
    paid_back: Money | None
    "So far."
    on: date | None
    due: date | None
    "When it is to be back."
    notes: str | None


@many("account")
class Hold:
    """Somebody's word that no money should leave an account."""

    account: str
    by: str | None
    "Who said so: father, the user, the bank."
    reason: str | None
    since: date | None
    until: date | None
    "The last day of it."


@many("covers", "per")
class Limit:
    """The most that should be spent at once or in a period: a card's limit, a rule of the user, a budget."""

    covers: str
    "An account or a card, a category such as dining, or 'any purchase'."
    per: Literal["transaction", "day", "week", "month", "year"]
    amount: Money
    by: str | None
    "Whose rule it is."
    exception: str | None
    "What it takes to go above it: VP approval."


@one
class RiskPreference:
    """How much risk the user wants to take with money."""

    attitude: Literal["conservative", "balanced", "adventurous"]
    since: date | None
    reason: str | None
    said: str | None
    "In the user's words."


@many("what")
class Policy:
    """An insurance policy. Cancelled ones are ended."""

    what: str
    "car insurance, health insurance, travel insurance…"
    insurer: str | None
    number: str | None
    person: str | None
    "Whom it insures, if not the user."
    starts: date | None
    ends: date | None
    "The last day of it."
    covers: list[str]
    renewal: Literal["automatic", "by hand"] | None
    premium: Money | None
    every: Literal["month", "quarter", "year"] | None
    unpaid: Money | None
    "A premium that was not paid."
    grace_until: date | None
    "The last day to pay it; then the insurer cancels the policy."
    if_lapsed: str | None
    "What the user knows would follow."


@many("what")
class SavingsGoal:
    """An amount that the user needs by a day."""

    what: str
    amount: Money
    by: date
    accounts: list[str]
    "Where the money is to come from."


@event()
class Trade:
    """A security bought or sold, or about to be."""

    security: str
    "Its symbol or name."
    side: Literal["buy", "sell"]
    on: date | None
    planned: bool | None
    "True while it is a plan."
    shares: Decimal | None
    gain: Money | None
    "Of a sale; a loss is negative."
    account: str | None


@many("country", "year")
class TaxReturn:
    """The user's income tax return for one year."""

    country: str
    year: int
    "As the tax office names it: 2024 for 2024/25 in the United Kingdom, 2026 for 2025–26 in Australia."
    incomes: list[str]
    "Kinds of income: salary, freelance work, stock sales."
    preparer: str | None
    filed_on: date | None
    extended_until: date | None


@many("name")
class RetirementPlan:
    """A plan into which a part of the user's pay goes, such as a 401k."""

    name: str
    percent: Decimal | None
    "Of the pay."
    income: str | None
    "Which income; None: the salary."
    match_percent: Decimal | None
    match_up_to: Decimal | None
    "The employer adds match_percent of the first match_up_to percent of pay."
    goal: Literal["maximum", "match"] | None
    "What the user aims at: all that the law allows, or all that the employer adds to."
