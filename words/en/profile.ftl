# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = Name badge

profile-photo-title = Your photo
profile-photo-alt = Photo of you
profile-photo-choose = Choose a photo of you
profile-photo-replace = Choose another photo
profile-photo-hint = A JPEG, PNG, WebP or GIF file. It is shown as a square on all of your pages.
profile-photo-partial = Some of your pages do not show it yet. Choose it again to show it everywhere.
profile-photo-delete = Remove my photo
profile-photo-send = Use this photo
profile-photo-no-file = Please choose a photo first.
profile-photo-other = We cannot use this file. Please choose a JPEG, PNG, WebP or GIF picture.
profile-photo-heic = This is a HEIC picture, which we cannot use. Please save it as a JPEG first, or take a screenshot of it.
profile-photo-damaged = This picture is damaged or incomplete. Please save it again, or choose another one.
profile-photo-large = This picture is too large. Please choose a smaller one.

profile-crop-preview = Your photo as others will see it
profile-crop-hint = Drag the picture, or use the sliders, until you like what is in the square.
profile-crop-ready = Choose the part that others will see, then press “Use this photo”.
profile-crop-zoom = Zoom
profile-crop-x = Left or right
profile-crop-y = Up or down

profile-done-photo = Your photo is saved.
profile-done-photo-deleted = Your photo is removed.

profile-fixed = Only your institution can change this. If something is wrong, please contact your institution.
profile-field-none = No answer
profile-field-yes = Yes
profile-field-no = No
profile-field-not-included = Please choose one of the answers.

profile-guide-examples = For example:
profile-guide-example-1 = Siobhán: shi-VAWN
profile-guide-example-2 = Joaquín: wah-KEEN
profile-guide-example-3 = Xiomara: see-oh-MAH-ra

profile-legal-title = Your legal name
profile-legal-lead = Your institution uses it where it has to, for example on a diploma. You can record how to say it.
profile-legal-all = One recording is used on all of these pages.
profile-legal-open = Listen to your legal name, or record it
profile-legal-none = Your institution has not entered a legal name for you.
profile-legal-play = Your legal name on { $page }
profile-legal-unrecorded = It is not recorded yet.
profile-legal-delete = Delete the recording of my legal name
profile-legal-delete-explained = The recording of your legal name is removed from all of your pages, and its links stop working. This cannot be undone. The recording of the name that you go by stays. You can record your legal name again at any time.
profile-legal-delete-now = Delete this recording
profile-legal-ready = Press the button and say your legal name the way it should be said. You can listen before anyone else does.
profile-legal-consent = To record it, please agree to the text about recordings first.
