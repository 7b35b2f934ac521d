# Moderation einer Namensseite: die Liste derer, die sie verwalten, und was Personen über ihre Aufnahmen lesen.

moderation-title = Moderation
moderation-lead = Neue Aufnahmen und neue Einträge von Personen, für die niemand bürgt, warten hier auf deine Freigabe. Bis dahin hören und sehen sie nur du und die Personen selbst.
moderation-lead-off = Neue Aufnahmen auf dieser Seite sind sofort zu hören. Hier kommt an, was Zuhörende melden.
moderation-lists = Fälle
moderation-open = Zu entscheiden
moderation-decided = In den letzten 30 Tagen entschieden
moderation-none = Es gibt nichts zu entscheiden.
moderation-none-decided = In den letzten 30 Tagen wurde nichts entschieden.
moderation-keys = Mit der Tastatur: mit Tab zu einer Aufnahme, dann mit den Pfeiltasten zur nächsten oder vorigen; die Leertaste spielt sie ab, A gibt sie frei, R führt zur Begründung, D weist eine Meldung zurück.
moderation-play = Aufnahme von { $name } abspielen
moderation-held = Wartet seit { $date } auf Freigabe
moderation-wrong-person = Gemeldet: Das ist der Name einer anderen Person
moderation-offensive = Gemeldet: anstößig
moderation-unintelligible = Gemeldet: nicht zu verstehen
moderation-reports =
    { $count ->
        [one] Eine Meldung
       *[other] { $count } Meldungen
    }
moderation-approve = Freigeben
moderation-reject = Ablehnen
moderation-remove = Entfernen
moderation-reason = Begründung
moderation-reason-hint = Die Person erhält deine Begründung mit einem Link zum erneuten Aufnehmen.
moderation-reject-now = Aufnahme ablehnen
moderation-remove-now = Aufnahme entfernen
moderation-dismiss = Meldung zurückweisen
moderation-restore = Wiederherstellen
moderation-state-approved = Freigegeben von { $by } am { $date }
moderation-state-rejected = Abgelehnt von { $by } am { $date }
moderation-state-removed = Entfernt von { $by } am { $date }
moderation-state-dismissed = Zurückgewiesen von { $by } am { $date }
moderation-state-restored = Wiederhergestellt von { $by } am { $date }
moderation-until = Kann bis { $date } wiederhergestellt werden
moderation-more = Mehr
moderation-done-approved = Die Aufnahme ist jetzt zu hören.
moderation-done-rejected = Die Aufnahme ist abgelehnt, und die Person erfährt die Begründung.
moderation-done-removed = Die Aufnahme ist entfernt, und die Person erfährt die Begründung.
moderation-done-dismissed = Die Meldung ist zurückgewiesen.
moderation-done-restored = Die Aufnahme ist wieder zu hören.
moderation-done-decided = Darüber hat inzwischen jemand anderes entschieden. Es wurde nichts geändert.
moderation-done-newer = Es gibt eine neuere Aufnahme, deshalb wurde nichts geändert. Bitte höre dir zuerst die neuere an.
moderation-gone = Diese Aufnahme gibt es nicht mehr. Vielleicht wurde sie von der Person gelöscht.
moderation-fault-reason = Bitte schreibe eine Begründung. Die Person erhält sie.
moderation-own-held = Deine Aufnahme wartet auf Freigabe. Bis dahin hören sie nur du und diejenigen, die diese Seite verwalten.
moderation-own-held-earlier = Deine neue Aufnahme wartet auf Freigabe. Bis dahin hören andere die frühere.
moderation-own-refused = Deine Aufnahme wurde nicht angenommen. Bitte nimm deinen Namen noch einmal auf. Die Begründung:
moderation-photo = Bild von { $name }
moderation-entry = Hier geht es um den ganzen Eintrag: Name, Lautschrift, Angaben und Bild.
moderation-silenced = Diese Person hat ihre Aufnahmen pausiert oder ihre Einwilligung widerrufen. Deshalb hört niemand sonst diese Aufnahme, und sie kann nicht freigegeben werden.
moderation-reject-entry-now = Eintrag ablehnen
moderation-remove-entry-now = Eintrag entfernen
moderation-entry-reason-hint = Die Person erhält deine Begründung mit einem Link zum Ändern des Eintrags.
moderation-done-entry-shown = Andere sehen den Eintrag jetzt.
moderation-done-entry-refused = Andere sehen den Eintrag nicht, und die Person erfährt die Begründung.
moderation-done-entry-newer = Der Eintrag hat sich inzwischen geändert, deshalb wurde nichts entschieden. Bitte sieh ihn dir zuerst noch einmal an.
moderation-done-silenced = Die Person hat die Aufnahme pausiert oder ihre Einwilligung widerrufen. Es wurde nichts geändert.
moderation-own-entry-held = Dein Eintrag wartet auf Freigabe. Bis dahin sehen ihn nur du und diejenigen, die diese Seite verwalten.
moderation-own-entry-refused = Dein Eintrag wurde nicht angenommen. Bitte ändere ihn. Die Begründung:
