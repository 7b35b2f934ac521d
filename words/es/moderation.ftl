# Moderación de una página de nombres: la lista de quienes la gestionan y lo que cada persona lee sobre su grabación.

moderation-title = Moderación
moderation-lead = Las grabaciones nuevas, y las entradas nuevas de personas por las que nadie responde, esperan aquí tu aprobación. Hasta entonces solo las oyen y ven tú y esas personas.
moderation-lead-off = Las grabaciones nuevas de esta página se oyen de inmediato. Aquí llega lo que denuncian quienes escuchan.
moderation-lists = Casos
moderation-open = Por decidir
moderation-decided = Decididos en los últimos 30 días
moderation-none = No hay nada que decidir.
moderation-none-decided = No se decidió nada en los últimos 30 días.
moderation-keys = Con el teclado: ve con Tab a una grabación y usa las flechas para ir a la siguiente o a la anterior; la barra espaciadora la reproduce, A la aprueba, R lleva al motivo y D descarta una denuncia.
moderation-play = Reproducir la grabación de { $name }
moderation-held = Espera aprobación desde el { $date }
moderation-wrong-person = Denuncia: es el nombre de otra persona
moderation-offensive = Denuncia: ofensiva
moderation-unintelligible = Denuncia: no se entiende
moderation-reports =
    { $count ->
        [one] Una denuncia
       *[other] { $count } denuncias
    }
moderation-approve = Aprobar
moderation-reject = Rechazar
moderation-remove = Retirar
moderation-reason = Motivo
moderation-reason-hint = La persona recibe tu motivo, con un enlace para volver a grabar.
moderation-reject-now = Rechazar la grabación
moderation-remove-now = Retirar la grabación
moderation-dismiss = Descartar la denuncia
moderation-restore = Restaurar
moderation-state-approved = Aprobada por { $by } el { $date }
moderation-state-rejected = Rechazada por { $by } el { $date }
moderation-state-removed = Retirada por { $by } el { $date }
moderation-state-dismissed = Descartada por { $by } el { $date }
moderation-state-restored = Restaurada por { $by } el { $date }
moderation-until = Se puede restaurar hasta el { $date }
moderation-more = Más
moderation-done-approved = La grabación ya se puede oír.
moderation-done-rejected = La grabación quedó rechazada y la persona conocerá el motivo.
moderation-done-removed = La grabación quedó retirada y la persona conocerá el motivo.
moderation-done-dismissed = La denuncia quedó descartada.
moderation-done-restored = La grabación se puede oír de nuevo.
moderation-done-decided = Entretanto, otra persona ya decidió sobre esto. No se cambió nada.
moderation-done-newer = Hay una grabación más reciente, por eso no se cambió nada. Escucha primero la más reciente.
moderation-gone = Esta grabación ya no existe. Es posible que la persona la haya borrado.
moderation-fault-reason = Escribe un motivo. La persona lo recibe.
moderation-own-held = Tu grabación espera aprobación. Hasta entonces solo la oyen tú y quienes gestionan esta página.
moderation-own-held-earlier = Tu nueva grabación espera aprobación. Hasta entonces los demás oyen la anterior.
moderation-own-refused = Tu grabación no se aceptó. Graba tu nombre otra vez. El motivo:
moderation-photo = Foto de { $name }
moderation-entry = Se trata de toda la entrada: nombre, transcripción, datos y foto.
moderation-silenced = Esta persona ha pausado sus grabaciones o ha retirado su consentimiento, así que nadie más oye esta grabación y no se puede aprobar.
moderation-reject-entry-now = Rechazar la entrada
moderation-remove-entry-now = Retirar la entrada
moderation-entry-reason-hint = La persona recibe tu motivo, con un enlace para cambiar la entrada.
moderation-done-entry-shown = Los demás ya pueden ver la entrada.
moderation-done-entry-refused = Los demás no ven la entrada, y la persona conoce el motivo.
moderation-done-entry-newer = La entrada ha cambiado entretanto, así que no se ha decidido nada. Mírala otra vez primero.
moderation-done-silenced = La persona ha pausado la grabación o ha retirado su consentimiento. No se ha cambiado nada.
moderation-own-entry-held = Tu entrada espera aprobación. Hasta entonces solo la ven tú y quienes gestionan esta página.
moderation-own-entry-refused = Tu entrada no se aceptó. Cámbiala. El motivo:
