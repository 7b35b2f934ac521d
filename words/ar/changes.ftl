# من غيّر بيانات شخص: قسم من صفحته الخاصة.

changes-title = التغييرات في السجل
changes-hint = تحتفظ المؤسسة بما يبين من غيّر البيانات. هذه أحدث التغييرات.
changes-none = لم يتغير شيء بعد.

changes-act-created = تم إنشاء السجل
changes-act-updated = تم تغيير البيانات
changes-act-deleted = تم حذف السجل
changes-act-hidden = تمت إزالة السجل من صفحة
changes-act-shown = عاد السجل إلى صفحة
changes-act-recording = تم حفظ التسجيل
changes-act-recording-held = التسجيل في انتظار الموافقة
changes-act-recording-deleted = تم حذف التسجيل
changes-act-photo = تم حفظ الصورة
changes-act-photo-deleted = تمت إزالة الصورة
changes-act-consent = تمت الموافقة على نص التسجيلات
changes-act-consent-withdrawn = تم سحب الموافقة
changes-act-approved = تم اعتماد التسجيل أو البيانات
changes-act-refused = لم يُقبل التسجيل أو البيانات
changes-act-restored = تمت استعادة التسجيل أو البيانات
changes-act-settings = تم تغيير الإعدادات
changes-act-directory-hold = تم وضع حظر الدليل أو إنهاؤه
changes-act-role = تم تغيير الدور
changes-act-invitation = تم تغيير الدعوة
changes-act-call = تم تغيير مكالمة هاتفية
changes-act-mail = تم تغيير الرسائل
changes-act-copy = تم إنشاء نسخة من البيانات
changes-act-link = تم إنشاء رابط لتسجيل الدخول بهذا الحساب
changes-act-other = تم تغيير شيء آخر

changes-by-you = صاحب السجل
changes-by-staff = موظفو المؤسسة
changes-by-member = موظفو المؤسسة ({ $email })
changes-by-token = نظام تابع للمؤسسة ({ $name })
changes-by-system = تلقائيًا
changes-by-named-system = منصة التعلم ({ $name })
