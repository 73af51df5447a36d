"""Somebody, or a shop's server, gets in: a principal with a role and channels, its key, and a user for the console."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from orders.errors import Conflict, Invalid, NotFound
from orders.models import Channel, Principal
from orders.roles import KEY_ROLES, Actor, Role
from orders.services.keys import make_key
from orders.typed import is_seen
from refunds.services.leaving import permit_people


@dataclass(frozen=True, slots=True)
class Newcomer:
    """`channels` are their names; with a `username` he can log in to the console by this `password`."""

    name: str
    role: Role
    channels: Collection[str]
    username: str = ""
    password: str = ""


@transaction.atomic
def join(newcomer: Newcomer, *, actor: Actor) -> Principal:
    """Who may call from now on; a key is made for him by `new_key`.

    Raises Forbidden (`role_forbidden`), Invalid for a role that no key can have, a channel that is not there, or a
    password that is guessed at once; Conflict (`username_taken`).
    """
    permit_people(actor)
    _refuse_odd(newcomer)
    channels = list(Channel.objects.filter(slug__in=newcomer.channels, retired_at=None))
    if unknown := sorted(set(newcomer.channels) - {channel.slug for channel in channels}):
        raise Invalid.of("channels", "unknown_channel", f"There is no channel {', '.join(unknown)}: declare it first.")
    principal = Principal.objects.create(name=newcomer.name, role=newcomer.role, user=_user(newcomer))
    principal.channels.set(channels)
    return principal


@transaction.atomic
def new_key(principal_id: int, *, actor: Actor) -> str:
    """A further key of the principal; it is shown this once, and only its digest is kept. Raises NotFound, and Conflict
    (`has_left`)."""
    permit_people(actor)
    principal = Principal.objects.select_for_update().filter(pk=principal_id, role__in=KEY_ROLES).first()
    if principal is None:
        raise NotFound("not_found", "There is nobody of that number here.")
    if principal.left_at:
        raise Conflict("has_left", f"{principal} has left.")
    return make_key(principal)


def _refuse_odd(newcomer: Newcomer) -> None:
    if newcomer.role not in KEY_ROLES:
        raise Invalid.of("role", "unknown_value", f"One of {', '.join(KEY_ROLES)}.")
    if not newcomer.name.strip() or len(newcomer.name) > 200 or not is_seen(newcomer.name):
        raise Invalid.of("name", "bad_name", "A name has 1 to 200 characters, none of them a control character.")
    if not newcomer.channels:
        raise Invalid.of("channels", "required", "Name at least one channel.")


def _user(newcomer: Newcomer) -> User | None:
    if not newcomer.username:
        return None
    user = User(username=newcomer.username, is_staff=True)
    try:
        validate_password(newcomer.password, user)
        user.full_clean(exclude=["password"])
    except ValidationError as weak:
        taken = User.objects.filter(username=newcomer.username).exists()
        problem = Conflict("username_taken", f"There is a user {newcomer.username} already.") if taken else None
        raise problem or Invalid.of("password", "weak_password", " ".join(weak.messages)) from weak
    user.password = make_password(newcomer.password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as twice:
        raise Conflict("username_taken", f"There is a user {newcomer.username} already.") from twice
    return user
