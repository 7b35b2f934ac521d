# The console: people.

console-people-search = الاسم أو البريد الإلكتروني أو الرقم
console-people-search-send = عرض
console-people-reset = عرض الجميع
console-people-filters = عوامل التصفية
console-people-page = صفحة الأسماء
console-people-any = الكل
console-people-field = حقل مخصص
console-people-value = قيمة الحقل
console-people-sort = الترتيب
console-people-sort-name = حسب الاسم
console-people-sort-changed = أحدث تغيير أولا
console-people-sort-recorded = أحدث تسجيل أولا (من لديهم تسجيل فقط)
console-people-recorded = تم التسجيل
console-people-unrecorded = لا يوجد تسجيل
console-people-waiting = بانتظار الموافقة
console-people-paused = متوقف مؤقتا
console-people-invited-yes = تمت الدعوة
console-people-invited-no = بدون دعوة
console-people-phone-yes = مع رقم
console-people-phone-no = بدون رقم
console-people-count =
    { $count ->
        [zero] لا أحد
        [one] شخص واحد
        [two] شخصان
        [few] { $count } أشخاص
        [many] { $count } شخصا
       *[other] { $count } شخص
    }
console-people-cut-walked = عدد من تم فحصهم حتى الآن: { $count }. الجزء التالي يكمل من هنا.
console-people-cut-found = النتائج كثيرة جدا، ولا يظهر إلا بعضها (الحد: { $count }). يرجى كتابة المزيد من الاسم للعثور على غيرهم.
console-people-building = يجري تحديث البحث. قد لا يظهر بعض الأشخاص لبضع دقائق.
console-people-nobody-found = لا توجد نتائج. يرجى تجربة حروف أقل أو تصفية أخرى.
console-people-nobody = لا يوجد أحد بعد. يرجى أولا إنشاء صفحة أسماء، ثم استيراد ملف أو دعوة أشخاص إليها.
console-people-to-pages = صفحات الأسماء
console-people-name = الاسم
console-people-without-name = بدون اسم
console-people-changed = آخر تغيير
console-people-selected = محدد
console-people-select = تحديد { $name }
console-people-select-all = تحديد الجميع في هذا الجزء من القائمة
console-people-with-selected = مع الأشخاص المحددين
console-people-everybody = كل من يطابق، وليس المحددين فقط
console-people-first = الجزء الأول
console-people-next = الجزء التالي
console-people-undo = تراجع
console-people-cancel = إلغاء
console-people-choose = يرجى الاختيار
console-people-invite = دعوة
console-people-invite-lead = تصلهم رسالة تحتوي على رابط شخصي. يستثنى من لديه تسجيل أو لا يريد رسائل أو لديه دعوة صالحة.
console-people-remind = تذكير
console-people-remind-lead = من دعي بالبريد ولم يسجل اسمه يصله تذكير: ثلاثة على الأكثر، وبعد يوم على الأقل من آخر رسالة.
console-people-move = نقل إلى صفحة أسماء أخرى
console-people-move-lead = تبقى التسجيلات والروابط كما هي. يبقى أفراد المقرر حيث وضعتهم منصة التعلم.
console-people-move-choose = يرجى اختيار صفحة أسماء.
console-people-tag = تعيين حقل مخصص
console-people-tag-choose = يرجى اختيار حقل مخصص.
console-people-tag-hint = يرجى تركه فارغا لمسح الحقل.
console-people-merge = دمج سجلين لشخص واحد
console-people-merge-two = يرجى الرجوع وتحديد شخصين فقط للدمج.
console-people-delete-many = حذف أشخاص
console-people-delete-lead =
    { $days ->
        [zero] يختفون من كل القوائم وتتوقف روابطهم. لا يمكن التراجع عن ذلك.
        [one] يختفون من كل القوائم وتتوقف روابطهم. يمكن التراجع عن ذلك خلال يوم واحد.
        [two] يختفون من كل القوائم وتتوقف روابطهم. يمكن التراجع عن ذلك خلال يومين.
        [few] يختفون من كل القوائم وتتوقف روابطهم. يمكن التراجع عن ذلك خلال { $days } أيام.
        [many] يختفون من كل القوائم وتتوقف روابطهم. يمكن التراجع عن ذلك خلال { $days } يوما.
       *[other] يختفون من كل القوائم وتتوقف روابطهم. يمكن التراجع عن ذلك خلال { $days } يوم.
    }
console-people-delete-number = للتأكيد يرجى كتابة عدد الأشخاص: { $count }
console-people-delete-wrong = هذا ليس عدد الأشخاص.
console-people-bulk-count =
    { $count ->
        [zero] لا يخص هذا أحدا.
        [one] يخص هذا شخصا واحدا.
        [two] يخص هذا شخصين.
        [few] يخص هذا { $count } أشخاص.
        [many] يخص هذا { $count } شخصا.
       *[other] يخص هذا { $count } شخص.
    }
console-people-bulk-cut = عدد المطابقين أكبر مما يمكن تنفيذه دفعة واحدة. يرجى التكرار للباقين بعد ذلك.
console-people-bulk-nobody = لم يتم تحديد أحد. يرجى الرجوع وتحديد الأشخاص أولا.
console-people-bulk-no-mail = لا يوجد خادم بريد معد هنا. يمكن توزيع الروابط الشخصية من قسم الدعوات في صفحة الأسماء.
console-people-task-progress = تم: { $done } من { $total }
console-people-task-done = اكتمل.
console-people-task-failed = تعذر إكمال ذلك. ما تم تنفيذه باق، والسجلات الأخرى لم تتغير.
console-people-outcome-done = تم
console-people-outcome-unchanged = لا حاجة إلى تنفيذ
console-people-outcome-gone = لم يعد موجودا
console-people-outcome-taken = يوجد شخص بنفس البريد أو الرقم
console-people-outcome-without-email = بدون بريد إلكتروني
console-people-outcome-recorded = لديه تسجيل بالفعل
console-people-outcome-unreachable = لا يريد رسائل أو العنوان لا يعمل
console-people-outcome-not-invited = لم تتم دعوته بالبريد
console-people-outcome-just-written = تمت مراسلته مؤخرا أو تلقى كل التذكيرات
console-people-outcome-in-course = ينتمي إلى مقرر
console-people-outcome-closed = صفحة الأسماء مغلقة أو مؤرشفة
console-people-edit = تعديل السجل
console-people-badge = بطاقة الاسم
console-people-listen = صفحة الاستماع
console-people-delete = حذف السجل
console-people-delete-title = حذف { $name }؟
console-people-audience-institution = أفراد المؤسسة
console-people-recording = تسجيل
console-people-recordings = التسجيلات
console-people-legal-recording = تسجيل الاسم القانوني
console-people-removed = لم يقبل
console-people-paused-lead = أوقف صاحب السجل تسجيلاته مؤقتا، فلا يمكن لأحد سماعها.
console-people-hold = حظر الدليل
console-people-hold-lead = لا يُكشف للعموم أي شيء عن هذا الشخص. لا يسمع الاسم بعد تسجيل الدخول إلا من يدير هذه الصفحة أو يستمع أو يدرّس فيها.
console-people-hold-hint = لمن طلب عدم إدراجه في الأدلة (FERPA). يسري ذلك على جميع صفحات أسماء الشخص.
console-people-hold-yes = نعم: عدم كشف أي شيء للعموم
console-people-hold-no = لا
console-people-hold-elsewhere = لا يمكن إنهاء ذلك إلا لمالك أو مسؤول: الشخص موجود في صفحات أسماء أخرى أيضا.
console-people-no-recording = لا يوجد تسجيل بعد.
console-people-record = تسجيل أو رفع
console-people-record-lead = يرجى القيام بذلك فقط لمن وافق عليه. سيحل محل التسجيل الحالي.
console-people-record-ready = يرجى الضغط على الزر ونطق الاسم.
console-people-photo = صورة الشخص
console-people-photo-send = رفع الصورة
console-people-calls = المكالمات
console-people-no-calls = لم تجر أي مكالمات.
console-people-call = الاتصال بهذا الشخص
console-people-called-soon = سيتم الاتصال بهذا الشخص قريبا.
console-people-call-scheduled = مجدولة
console-people-call-active = جارية
console-people-call-no-answer = لا رد
console-people-call-busy = مشغول
console-people-call-failed = لم تنجح
console-people-call-canceled = ألغيت
console-people-no-messages = لا توجد رسائل.
console-people-to-invitations = دعوات صفحة الأسماء هذه
console-people-mail-sign-in = رسالة تسجيل الدخول
console-people-mail-queued = بانتظار الإرسال
console-people-mail-sent = أرسلت
console-people-mail-failed = رفضها خادم البريد
console-people-mail-unconfirmed = ربما أرسلت
console-people-mail-expired = لم ترسل في الوقت المناسب
console-people-others = سجلات أخرى لهذا الشخص
console-people-history = السجل الزمني
console-people-no-history = لا يحتوي سجل التدقيق على شيء عن هذا السجل.
console-people-all-changes = كل التغييرات في بيانات هذا الشخص
console-people-merge-with = الدمج مع هذا السجل
console-people-done-saved = تم حفظ السجل.
console-people-done-recorded = تم حفظ الملف.
console-people-done-called = تمت جدولة المكالمة.
console-people-done-merged = تم دمج السجلين.
console-people-done-restored = تمت استعادة السجل.
console-people-done-deleted = تم حذف السجل.
console-people-edit-fixed = البريد والرقم يحددان السجل ولا يمكن تغييرهما هنا.
console-people-edit-course = توفر منصة تعلم أسماء هذا الشخص، وقد تغيرها مرة أخرى.
console-people-edit-changed = غير شخص آخر هذا السجل في هذه الأثناء. ما تمت كتابته ما زال هنا، والحقول المختلفة تبين القيمة الحالية. يرجى الحفظ مرة أخرى لاستبدالها.
console-people-edit-theirs = القيمة الحالية: { $value }
console-people-deleted = المحذوفون مؤخرا
console-people-deleted-none =
    { $days ->
        [zero] لم يحذف أحد.
        [one] لم يحذف أحد خلال اليوم الأخير.
        [two] لم يحذف أحد خلال آخر يومين.
        [few] لم يحذف أحد خلال آخر { $days } أيام.
        [many] لم يحذف أحد خلال آخر { $days } يوما.
       *[other] لم يحذف أحد خلال آخر { $days } يوم.
    }
console-people-deleted-by = حذفه
console-people-purged-on = يحذف نهائيا في
console-people-restore = استعادة
console-people-restore-taken = يوجد الآن شخص بنفس البريد أو الرقم. يرجى حذف ذلك السجل أولا.
console-people-merge-lead = يأخذ السجل المحتفظ به ما ينقصه من الآخر، ثم يحذف الآخر نهائيا.
console-people-merge-field = الحقل
console-people-merge-kept = السجل المحتفظ به
console-people-merge-other = السجل الآخر
console-people-merge-result = النتيجة
console-people-merge-send = دمج
console-people-merge-swap = الاحتفاظ بالسجل الآخر بدلا منه
console-people-merge-email = للسجلين بريدان مختلفان. سيتم التخلي عن هذا: { $email }
console-people-merge-changed = تغير أحد السجلين في هذه الأثناء. يرجى التحقق مرة أخرى.
console-people-merge-course = تحتاج منصة تعلم إلى السجل الآخر لأنه ينتمي إلى مقرر. يرجى الاحتفاظ به بدلا من هذا.
console-people-refused = عطّلهم دليل
console-people-refused-about = عطّل دليلٌ هؤلاء الأشخاص أو حذفهم. لا يمكنهم العودة بدعوة ولا بالتسجيل حتى يفعّلهم الدليل أو تسمح لهم أنت بالدخول.
console-people-refused-none = لا أحد معطَّل.
console-people-refused-since = منذ
console-people-readmit = السماح بالدخول مجددا
console-people-readmitted = يمكن دعوة هذا الشخص مجددا. أرسل إليه دعوة جديدة.
console-people-merge-admin = لهذين السجلين عنوانا بريد مختلفان، وقد يكونان لشخصين. لا يدمجهما إلا مالك أو مدير.
console-people-merge-paused = أوقف صاحب السجل الآخر تسجيلاته مؤقتا أو سحب موافقته، وله عنوان بريد مختلف. لا يمكن دمج السجلين.
console-messages-notice = إشعار بتغيير البيانات
