"""One reconciler per controller: between the runtime, which knows keys, and the services, which know refunds."""
