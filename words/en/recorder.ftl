# The recorder. The script puts a length of time, like "2 seconds", in place of %s, or the name of a file in recorder-chosen.

recorder-record = Record my name
recorder-stop = Stop
recorder-play = Play
recorder-again = Record again
recorder-keep = Use this recording
recorder-retry = Try again
recorder-file = Upload a file instead
recorder-phone = Continue on your phone
recorder-call = Be called instead
recorder-own-window = Open in its own window
recorder-countdown = Count down 3, 2, 1 first
recorder-others = Other ways
recorder-time-left = Time left
recorder-progress = Upload

recorder-ready = Press the button and say your name the way you like to hear it. You can listen before anyone else does.
recorder-asking = Please allow the microphone. Your browser is asking you now.
recorder-get-ready = Get ready…
recorder-recording = Recording. Press Stop when you are done.
recorder-not-heard = We cannot hear anything yet. Speak a little louder, or check that your microphone is switched on.
recorder-working = One moment…
recorder-take = You recorded %s. Listen to it, use it, or record again.
recorder-chosen = Your file: %s. Listen to it, or use it.

# Hints before a recording is sent.
recorder-silent = We cannot hear a voice in it. Check that the right microphone is on, then record again.
recorder-short = It is very short. Record again, and say your whole name.
recorder-cut = The beginning seems to be missing. Record again, and wait for the word “Recording” before you speak.
recorder-clipped = It is too loud and sounds distorted. Record again, a little farther from the microphone.
recorder-quiet = It is very quiet. Record again, closer to the microphone; we will turn it up for you.
recorder-noisy = There is a lot of noise around you. Record again in a quieter place; we will soften the noise for you.
recorder-unplayable = This browser cannot play the recording before it is saved. You can use it and listen afterward.
recorder-empty = Your browser recorded nothing. Please record again, or choose another way below.
recorder-interrupted = The recording was interrupted, for example by a phone call. Nothing was saved. Please record again.

# Sending.
recorder-sending = Saving your recording…
recorder-kept = Saved. This is how others will hear your name.
recorder-offline = The connection was lost. Your recording is still here: try again when you are back online.
recorder-busy = A lot of people are recording right now. Your recording is still here: try again in a moment.
recorder-signed-out = Your session is over: sign in again in another tab, then try again here. Your recording is still here.
recorder-refused = We cannot use this recording. Please record again, or choose another file.
recorder-trouble = Something went wrong on our side. Your recording is still here: please try again.

# When there is no microphone.
recorder-denied = This page may not use your microphone. Allow it in the browser’s address bar or settings and press the button again, or choose another way below.
recorder-none-found = We found no microphone. Connect one and press the button again, or choose another way below.
recorder-in-use = Another app is using your microphone. Close it, for example a video call, and press the button again.
recorder-not-secure = Your browser allows recording only on secure pages (https), and this one is not. Please choose another way below.
recorder-framed = The site around this page does not let it use your microphone. Open it in its own window, or choose another way below.
recorder-unsupported = This browser cannot record. Please choose another way below.
recorder-found = A microphone is connected now. Press the button to record.

# A file.
recorder-file-label = A recording of your name
recorder-file-hint = A few seconds, in any usual audio format.
recorder-file-send = Upload

# On the phone.
recorder-phone-how = Scan this code with your phone’s camera. It works once, for ten minutes.
recorder-phone-code = Code to scan with your phone
recorder-phone-address = Or open this address on your phone:
recorder-phone-waiting = Waiting for your phone. This page notices when your recording has arrived.
recorder-phone-failed = We could not make a code just now. Please try again in a moment.
recorder-phone-expired = The code has expired. Please ask for a new one.
recorder-arrived = Your recording has arrived from your phone. This is how others will hear your name.

# Refusals of the server.
recorder-fault-no-file = Please choose a file first.
recorder-fault-too-large = This file is too large for a recording of a name. Please choose a smaller one.
recorder-fault-not-sound = This is not a recording that we can read. Please choose a WAV, MP3, M4A, AAC, Ogg, WebM or FLAC file.
recorder-fault-damaged = This recording is damaged or incomplete. Please record again, or choose the file again.
recorder-fault-closed = This name page is closed and takes no more recordings.
recorder-fault-unusual = We cannot read this kind of recording. Please record again here, or choose another file.
recorder-fault-too-long =
    { $seconds ->
        [one] This recording is longer than { $seconds } second. Please say only your name.
       *[other] This recording is longer than { $seconds } seconds. Please say only your name.
    }
recorder-fault-too-short = This recording is too short. Please say your whole name.
recorder-fault-silent = We cannot hear anything in this recording. Please check your microphone and record again.
