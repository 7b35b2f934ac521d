//! What the kinds of changes are called.

use crate::{domain::audit::Act, words::Words};

/// The word itself, if only a newer version of the software knows it.
pub fn name(words: Words, word: &str) -> String {
    Act::parse(word).map_or_else(|| word.to_owned(), |act| words.text(id(act)))
}

/// The id of its name.
pub const fn id(act: Act) -> &'static str {
    match act {
        Act::AudienceChosen => "console-act-audience-chosen",
        Act::AuditExported => "console-act-audit-exported",
        Act::BadgeListed => "console-act-badge-listed",
        Act::BouncesCleared => "console-act-bounces-cleared",
        Act::CallCanceled => "console-act-call-canceled",
        Act::CallRequested => "console-act-call-requested",
        Act::CallRetried => "console-act-call-retried",
        Act::ConsentGiven => "console-act-consent-given",
        Act::ConsentTextReset => "console-act-consent-text-reset",
        Act::ConsentTextSet => "console-act-consent-text-set",
        Act::ConsentWithdrawn => "console-act-consent-withdrawn",
        Act::CourseMerged => "console-act-course-merged",
        Act::CourseSyncRequested => "console-act-course-sync-requested",
        Act::CustomFieldCreated => "console-act-custom-field-created",
        Act::CustomFieldDeleted => "console-act-custom-field-deleted",
        Act::CustomFieldUpdated => "console-act-custom-field-updated",
        Act::DirectoryHoldSet => "console-act-directory-hold-set",
        Act::ExportRequested => "console-act-export-requested",
        Act::ImportRun => "console-act-import-run",
        Act::ImportStarted => "console-act-import-started",
        Act::ImportUndone => "console-act-import-undone",
        Act::InstitutionCreated => "console-act-institution-created",
        Act::InvitationReminded => "console-act-invitation-reminded",
        Act::InvitationResent => "console-act-invitation-resent",
        Act::InvitationsSent => "console-act-invitations-sent",
        Act::InvitationWithdrawn => "console-act-invitation-withdrawn",
        Act::JobRetried => "console-act-job-retried",
        Act::LanguageChosen => "console-act-language-chosen",
        Act::LtiKeyRotated => "console-act-lti-key-rotated",
        Act::MailOptedIn => "console-act-mail-opted-in",
        Act::MailOptedOut => "console-act-mail-opted-out",
        Act::MailTested => "console-act-mail-tested",
        Act::MailTextReset => "console-act-mail-text-reset",
        Act::MailTextSet => "console-act-mail-text-set",
        Act::MemberRemoved => "console-act-member-removed",
        Act::MemberSet => "console-act-member-set",
        Act::MessageRetried => "console-act-message-retried",
        Act::ModerationApproved => "console-act-moderation-approved",
        Act::ModerationDismissed => "console-act-moderation-dismissed",
        Act::ModerationRejected => "console-act-moderation-rejected",
        Act::ModerationRemoved => "console-act-moderation-removed",
        Act::ModerationRestored => "console-act-moderation-restored",
        Act::NamePageArchived => "console-act-name-page-archived",
        Act::NamePageCreated => "console-act-name-page-created",
        Act::NamePageDeleted => "console-act-name-page-deleted",
        Act::NamePageUnarchived => "console-act-name-page-unarchived",
        Act::NamePageUpdated => "console-act-name-page-updated",
        Act::PageExported => "console-act-page-exported",
        Act::ParticipantCreated => "console-act-participant-created",
        Act::ParticipantDeleted => "console-act-participant-deleted",
        Act::ParticipantHidden => "console-act-participant-hidden",
        Act::ParticipantMerged => "console-act-participant-merged",
        Act::ParticipantRestored => "console-act-participant-restored",
        Act::ParticipantShown => "console-act-participant-shown",
        Act::ParticipantUpdated => "console-act-participant-updated",
        Act::PersonErased => "console-act-person-erased",
        Act::PersonExported => "console-act-person-exported",
        Act::PersonReadmitted => "console-act-person-readmitted",
        Act::PhoneOptedIn => "console-act-phone-opted-in",
        Act::PhoneOptedOut => "console-act-phone-opted-out",
        Act::PhotoDeleted => "console-act-photo-deleted",
        Act::PhotoReplaced => "console-act-photo-replaced",
        Act::RecordingDeleted => "console-act-recording-deleted",
        Act::RecordingHeld => "console-act-recording-held",
        Act::RecordingReplaced => "console-act-recording-replaced",
        Act::RecordingRequestsChosen => "console-act-recording-requests-chosen",
        Act::RecordingsReprocessed => "console-act-recordings-reprocessed",
        Act::ScimConnectionCreated => "console-act-scim-connection-created",
        Act::ScimConnectionRevoked => "console-act-scim-connection-revoked",
        Act::ScimGroupCreated => "console-act-scim-group-created",
        Act::ScimGroupDeleted => "console-act-scim-group-deleted",
        Act::ScimGroupUpdated => "console-act-scim-group-updated",
        Act::ScimUserCreated => "console-act-scim-user-created",
        Act::ScimUserDeleted => "console-act-scim-user-deleted",
        Act::ScimUserUpdated => "console-act-scim-user-updated",
        Act::ReportDownloaded => "console-act-report-downloaded",
        Act::SettingsUpdated => "console-act-settings-updated",
        Act::SignInEnded => "console-act-sign-in-ended",
        Act::SignInFailed => "console-act-sign-in-failed",
        Act::SignInSucceeded => "console-act-sign-in-succeeded",
        Act::SignInLinkCreated => "console-act-sign-in-link-created",
        Act::SsoCreated => "console-act-sso-created",
        Act::SsoDeleted => "console-act-sso-deleted",
        Act::SsoUpdated => "console-act-sso-updated",
        Act::TokenCreated => "console-act-token-created",
        Act::TokenRevoked => "console-act-token-revoked",
        Act::TokenRotated => "console-act-token-rotated",
        Act::ToolConsumerCreated => "console-act-tool-consumer-created",
        Act::ToolConsumerDeleted => "console-act-tool-consumer-deleted",
        Act::ToolConsumerInvited => "console-act-tool-consumer-invited",
        Act::ToolConsumerUpdated => "console-act-tool-consumer-updated",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::language::Language;

    /// Otherwise nobody knows which one to choose in the menu.
    #[test]
    fn every_kind_of_change_has_a_name_of_its_own_in_every_language() {
        for language in Language::ALL {
            let names: BTreeSet<String> =
                Act::ALL.iter().map(|act| name(Words::new(language), act.word())).collect();
            assert_eq!(names.len(), Act::ALL.len(), "{language:?}");
            assert!(Act::ALL.iter().all(|act| !names.contains(act.word())), "{language:?}");
        }
        assert_eq!(name(Words::new(Language::English), "planet.moved"), "planet.moved");
    }
}
