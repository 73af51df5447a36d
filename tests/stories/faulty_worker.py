"""The product's Celery app with trapdoors in it: `celery --app tests.stories.faulty_worker worker`."""

from config.celery import app

app.conf.imports = ["tests.stories.trapdoors"]
