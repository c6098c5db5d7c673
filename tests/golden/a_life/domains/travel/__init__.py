"""travel: passport, trips."""

from .schema import Passport as Passport
from .schema import Trip as Trip
from .state import passport as passport
from .state import former_passport as former_passport
from .state import trips as trips
from .state import former_trips as former_trips
