"""The courier's side of the sandbox: pickups booked by the signed protocol, parcels moved by doors."""
