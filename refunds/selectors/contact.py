"""How the customer of an order is reached, and since when."""

from django.conf import settings

from orders.models import Order
from orders.typed import is_mail_address, is_phone_number
from refunds.destinations import Contact


def contact_of(order: Order) -> Contact:
    """What no message can go to is left out, though not when it changed; so is the phone where no SMS can be sent."""
    phone = order.customer_phone if settings.SMS_URL and is_phone_number(order.customer_phone) else ""
    email = order.customer_email if is_mail_address(order.customer_email) else ""
    return Contact(phone, order.phone_changed_at, email, order.email_changed_at)
