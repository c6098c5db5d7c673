"""home: meters."""

from .schema import Meter as Meter
from .state import meters as meters
from .state import former_meters as former_meters
