"""Who acts: the roles of principals, and the actor written into every event."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    SHOP = "shop"
    SUPPORT = "support"
    SUPERVISOR = "supervisor"
    WAREHOUSE = "warehouse"
    FINANCE = "finance"
    AUDITOR = "auditor"
    CUSTOMER = "customer"
    SYSTEM = "system"


#: Roles an API key may have; a customer comes by signed link, the system by itself.
KEY_ROLES = (Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.WAREHOUSE, Role.FINANCE, Role.AUDITOR)


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an act: a reference without personal data (`principal:7`), and the role he acted in."""

    reference: str
    role: Role


SYSTEM = Actor("system", Role.SYSTEM)
