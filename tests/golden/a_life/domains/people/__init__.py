"""people: persons."""

from .schema import Person as Person
from .state import persons as persons
from .state import former_persons as former_persons
