# For members, who run or hear name pages.

member-title = Your pages
member-back = Back to your pages
member-manage-title = Pages that you run
member-hear-title = Pages that you can listen to
member-open-title = Pages that you can add your name to
member-newest = Only the newest pages are shown here.
member-none = You have no page yet. Your institution can give you one.
member-delete-role = Your role in running pages
member-last-owner-title = You are the only owner
member-last-owner = Your institution needs an owner. Please make somebody else an owner first. After that, you can delete everything.

member-export-title = Export people
member-export-xlsx = Everybody, as a spreadsheet (XLSX)
member-export-csv = Everybody, as a simple table (CSV)
member-export-zip = All recordings, as MP3 files (ZIP)
member-export-vcard = Everybody, for an address book (vCard)
member-export-hint = The files contain email addresses and other personal data. Recordings that are paused or waiting for approval are left out.
