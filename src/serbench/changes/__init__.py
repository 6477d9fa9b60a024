"""Changes of schemas: each makes another schema of a schema, and says what the values of one are in the
other."""

from serbench.changes.between import between as between
from serbench.changes.between import read_as as read_as
from serbench.changes.between import shared as shared
from serbench.changes.between import unreadable as unreadable
from serbench.changes.catalogue import changes_of as changes_of
from serbench.changes.catalogue import parse as parse
from serbench.changes.catalogue import parse_all as parse_all
from serbench.changes.change import Change as Change
from serbench.changes.choosing import matching as matching
from serbench.changes.choosing import one_of_each as one_of_each
from serbench.changes.free import FREE as FREE
from serbench.changes.free import common as common
from serbench.changes.free import filled as filled
from serbench.changes.free import is_free as is_free
from serbench.changes.free import settled as settled
