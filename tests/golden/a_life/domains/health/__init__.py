"""health: allergies."""

from .schema import Allergy as Allergy
from .state import allergies as allergies
from .state import former_allergies as former_allergies
