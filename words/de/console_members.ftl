# The console: members and audit.

console-members-lead = Mitglieder betreuen die Namensseiten der Einrichtung oder hören sie an. Sie melden sich an wie alle anderen.
console-members-add = Mitglied hinzufügen
console-members-owners-only = Nur die Rolle „Leitung“ darf Mitglieder hinzufügen, ändern und entfernen.
console-members-none = Noch hat niemand eine Rolle. Füge zuerst dich selbst hinzu, mit der Rolle „Leitung“.
console-members-email = E-Mail-Adresse
console-members-email-hint = Mit dieser Adresse meldet sich die Person an.
console-members-email-fault = Diese E-Mail-Adresse kann nicht verwendet werden. Bitte prüfe sie.
console-members-known = Diese Person ist schon Mitglied. Die Rolle kannst du in der Liste ändern.
console-members-role = Rolle
console-members-since = Seit
console-members-act = Aktionen
console-members-change = Ändern
console-members-change-title = Mitglied ändern
console-members-you = Du
console-members-only-owner = die einzige Person mit dieser Rolle
console-members-first = Zum Anfang
console-members-back = Zurück zu den Mitgliedern
console-members-owner = Leitung
console-members-owner-hint = Darf alles, auf allen Seiten.
console-members-admin = Verwaltung
console-members-admin-hint = Darf alles, außer Mitglieder zu ändern, Single Sign-on und Verzeichnisse einzurichten, festzulegen, wie lange das Protokoll aufbewahrt wird, und die Einrichtung zu löschen.
console-members-manager = Betreuung
console-members-manager-hint = Betreut die gewählten Seiten: Personen, Einladungen, Moderation, Exporte.
console-members-reader = Zuhören
console-members-reader-hint = Hört die Namen auf den gewählten Seiten an, sonst nichts.
console-members-all-pages = Alle
console-members-no-pages = Keine
console-members-more-pages = { $count ->
    [one] und 1 weitere
   *[other] und { $count } weitere
}
console-members-pages-now = { $count ->
    [one] 1 Namensseite
   *[other] { $count } Namensseiten
}
console-members-pages-hint = Für die Rollen „Betreuung“ und „Zuhören“. „Leitung“ und „Verwaltung“ haben alle Seiten.
console-members-pages-many = Das sind zu viele Seiten (höchstens { $most }). Gib der Person stattdessen die Rolle „Verwaltung“.
console-members-page-unknown = Eine dieser Seiten gibt es nicht mehr, oder ihr Code ist falsch geschrieben.
console-members-more = Weitere Seiten
console-members-more-hint = Hier stehen nur die neuesten Seiten. Ältere nennst du mit ihrem Code oder Kurznamen, durch Kommas getrennt.
console-members-last-owner = Deine Einrichtung braucht jemanden mit der Rolle „Leitung“. Gib sie zuerst jemand anderem.
console-members-added = Das Mitglied ist hinzugefügt und kann sich hier anmelden: { $address }
console-members-changed = Gespeichert. Es gilt ab sofort.
console-members-removed = Die Rolle ist beendet.
console-members-remove = Dieses Mitglied entfernen
console-members-remove-lead = Die Rolle endet sofort. Was diese Person für sich selbst aufgenommen hat, bleibt.
console-members-tokens = Zugriffstoken, die diese Person erstellt hat
console-members-tokens-lead = Diese Person kennt sie, und sie funktionieren weiter. Was soll mit ihnen geschehen?
console-members-tokens-keep = Behalten
console-members-tokens-keep-hint = Programme funktionieren weiter. Ersetze diese Token danach, damit niemand sie kennt, der nicht mehr dabei ist.
console-members-tokens-revoke = Widerrufen
console-members-tokens-revoke-hint = Programme, die sie verwenden, funktionieren innerhalb einer Sekunde nicht mehr.
console-members-tokens-fault = Bitte wähle, was mit den Zugriffstoken geschehen soll.
console-members-groups = Rollen nach Gruppe
console-members-groups-lead = Wer in einer Gruppe deines Single Sign-on ist, bekommt deren Rolle bei der nächsten Anmeldung und verliert sie nach dem Verlassen der Gruppe. Bei mehreren Gruppen zählt die höchste Rolle. Von Hand gegebene Rollen bleiben.
console-members-groups-none = Richte zuerst Single Sign-on ein.
console-members-groups-empty = Noch hat keine Gruppe eine Rolle.
console-members-group = Gruppe
console-members-group-hint = Genau so, wie dein Anbieter sie schreibt. Microsoft Entra schreibt die Objekt-ID der Gruppe.
console-members-group-add = Rolle der Gruppe speichern
console-members-group-remove = Entfernen
console-members-group-pages-hint = Für „Betreuung“ und „Zuhören“: Codes oder Kurznamen von Seiten, durch Kommas getrennt.
console-members-claim = Name des Claims mit den Gruppen
console-members-claim-hint = Bei den meisten Anbietern: groups
console-members-by-group = durch Gruppe

console-audit-lead = Hier steht jede Änderung: wer sie gemacht hat, wann, und was vorher war.
console-audit-search = In allem suchen
console-audit-act = Was
console-audit-any = Alles
console-audit-who = Wer
console-audit-person = Wessen Daten
console-audit-from = Ab Tag
console-audit-to = Bis Tag
console-audit-day-fault = Das ist kein Datum. Es sollte wie 2026-07-01 aussehen.
console-audit-clear = Alles zeigen
console-audit-about-one = Nur Änderungen daran:
console-audit-none = Nichts gefunden. Versuche es mit weniger Wörtern oder anderen Tagen.
console-audit-go-on = Bisher nichts. Bei älteren Einträgen geht die Suche weiter.
console-audit-when = Wann
console-audit-subject = Wovon
console-audit-fields = Geändert
console-audit-origin = Von wo
console-audit-newest = Neueste
console-audit-older = Ältere
console-audit-export = Export
console-audit-export-lead = Alle Einträge, die die Suche findet, mit alten und neuen Werten. Die Datei enthält personenbezogene Daten.
console-audit-csv = Als Tabelle (CSV)
console-audit-json = Für Programme (JSON-Zeilen)
console-audit-retention = Wie lange es aufbewahrt wird
console-audit-kept = { $days ->
    [one] Einträge werden nach 1 Tag gelöscht.
   *[other] Einträge werden nach { $days } Tagen gelöscht.
}
console-audit-kept-forever = Einträge werden nie gelöscht.
console-audit-keep = Einträge aufbewahren
console-audit-keep-days = Für eine bestimmte Zeit
console-audit-days = Tage
console-audit-days-fault = Bitte gib eine Anzahl von Tagen ein, von 1 bis 36500.
console-audit-keep-forever = Für immer
console-audit-owners-only = Nur die Rolle „Leitung“ darf das ändern.
console-audit-entry = Eine Änderung
console-audit-back = Zurück zum Protokoll
console-audit-no-values = Es wurden keine Werte geändert.
console-audit-field = Feld
console-audit-before = Vorher
console-audit-after = Nachher
console-audit-by-token = Zugriffstoken
console-audit-by-operator = Betrieb des Servers
console-audit-by-member = Mitglied
console-audit-by-person = die Person selbst
console-audit-by-lti = die Person, in einer Lernplattform
console-audit-by-phone = die Person, am Telefon
console-audit-by-scim = Verzeichnis
console-audit-by-system = automatisch
