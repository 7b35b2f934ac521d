# بطاقة الاسم، والمشغل في المواقع الأخرى.

badge-title = { $name }: طريقة نطق الاسم
badge-description = بطاقة اسم { $name }.
badge-description-recorded = يمكن الاستماع إلى الاسم بصوت { $name }.
badge-description-phonetic = ينطق هكذا: { $phonetic }.
badge-description-both = ينطق هكذا: { $phonetic }. يمكن الاستماع إلى الاسم بصوت { $name }.
badge-say-like = ينطق هكذا:
badge-note = ينطق هكذا: { $phonetic }
badge-recording-of = طريقة نطق { $name }
badge-play = تشغيل اسم { $name }
badge-play-legal = تشغيل الاسم القانوني لـ { $name }
badge-none = لا يوجد تسجيل لهذا الاسم بعد.
badge-notes = ملاحظات
badge-legal = الاسم القانوني
badge-save-contact = حفظ جهة الاتصال
badge-save-recording = حفظ التسجيل
badge-copy = نسخ الرابط
badge-copied = تم النسخ
badge-inside-title = لا يمكن فتح بطاقة الاسم هذه
badge-inside = بطاقة الاسم هذه مخصصة للمنتمين إلى { $institution } فقط. لفتحها، يرجى تسجيل الخروج ثم تسجيل الدخول ببريد إلكتروني آخر.

# المشغل. يجب أن تتسع للكلمات القصيرة مساحة 48 بكسل.
badge-player-fault = { $label } (لا يمكن التشغيل الآن)
badge-player-none = لا يوجد تسجيل لاسم { $name } بعد.
badge-player-none-legal = لا يوجد تسجيل بعد للاسم القانوني لـ { $name }.
badge-player-none-short = بلا صوت
badge-player-gone = لم يعد هذا الاسم موجودا هنا.
badge-player-gone-short = أزيل
badge-player-later = لا يمكن عرض المشغل الآن؛ يرجى المحاولة مرة أخرى بعد قليل.
badge-player-later-short = لاحقا
