# The console: access tokens.

console-tokens-about = تستخدم البرامج رموز الوصول لقراءة بيانات الأشخاص في مؤسستك وتغييرها عبر واجهة API.
console-tokens-docs = مرجع واجهة API
console-tokens-none = لا توجد رموز وصول صالحة. يُستحسن إنشاء رمز لكل برنامج ليمكن إلغاؤه وحده.
console-tokens-new = رمز وصول جديد
console-tokens-show-ended = إظهار الرموز المنتهية والملغاة أيضا
console-tokens-hide-ended = الرموز الصالحة فقط
console-tokens-name = الاسم
console-tokens-name-hint = البرنامج الذي يستخدم الرمز، مثل «نظام معلومات الطلاب».
console-tokens-state = الحالة
console-tokens-active = صالح
console-tokens-replaced = استُبدل ولا يزال صالحا
console-tokens-expired = منتهي الصلاحية
console-tokens-revoked = ملغى
console-tokens-soon = ينتهي قريبا
console-tokens-replacement = الرمز البديل
console-tokens-scope = الأذونات
console-tokens-read = القراءة
console-tokens-read-hint = عرض الأشخاص والبحث عنهم والاستعلام عنهم وقراءة عمليات التصدير.
console-tokens-write = القراءة والكتابة
console-tokens-write-hint = إنشاء الأشخاص والتسجيلات وتغييرها وحذفها أيضا.
console-tokens-sync = مزامنة المقررات
console-tokens-sync-hint = بدء مزامنة المقررات مع منصة التعلم فقط.
console-tokens-everything = كل شيء
console-tokens-everything-hint = القراءة والكتابة ومزامنة المقررات.
console-tokens-pages = صفحات الأسماء
console-tokens-all-pages = كل صفحات الأسماء
console-tokens-all-pages-hint = بما في ذلك الصفحات التي تُنشأ لاحقا.
console-tokens-some-pages = صفحات الأسماء هذه فقط
console-tokens-no-pages = لم تبق أي صفحة
console-tokens-pages-none = يرجى اختيار صفحة أسماء واحدة على الأقل.
console-tokens-pages-many = العدد كبير جدا. يرجى اختيار { $most } من صفحات الأسماء على الأكثر أو اختيارها كلها.
console-tokens-rows = الصفوف
console-tokens-newest = صف واحد لكل شخص
console-tokens-newest-hint = إذا كان الشخص في عدة صفحات أسماء، فإن الاستعلام بالبريد الإلكتروني أو المعرّف يعيد السجل ذا التسجيل الأحدث فقط.
console-tokens-held = تضمين من لهم حظر دليل
console-tokens-held-hint = تعرض الرموز الأخرى هؤلاء الأشخاص كأنهم لم يسجلوا. فقط للبرامج التي لا يستخدمها إلا الموظفون.
console-tokens-held-short = حظر الدليل
console-tokens-maker = أنشأه
console-tokens-maker-unknown = غير معروف
console-tokens-maker-left = غادر
console-tokens-created = تاريخ الإنشاء
console-tokens-used = آخر استخدام
console-tokens-never-used = لم يُستخدم
console-tokens-expires = تاريخ الانتهاء
console-tokens-forever = لا ينتهي
console-tokens-life = مدة صلاحية الرمز
console-tokens-days =
    { $count ->
        [zero] { $count } يوم
        [one] يوم واحد
        [two] يومان
        [few] { $count } أيام
        [many] { $count } يوما
       *[other] { $count } يوم
    }
console-tokens-hours =
    { $count ->
        [zero] { $count } ساعة
        [one] ساعة واحدة
        [two] ساعتان
        [few] { $count } ساعات
        [many] { $count } ساعة
       *[other] { $count } ساعة
    }
console-tokens-create = إنشاء الرمز
console-tokens-made-title = الرمز الجديد
console-tokens-made-once = يظهر هذا الآن فقط. يرجى نسخه إلى مكان استخدامه، فنحن لا نحتفظ بنسخة منه.
console-tokens-overlap = يبقى الرمز القديم صالحا حتى { $until }. يرجى استبداله في كل مكان قبل ذلك.
console-tokens-secret = الرمز
console-tokens-copy-secret = نسخ الرمز
console-tokens-copy-curl = نسخ الأمر
console-tokens-copied = تم النسخ
console-tokens-curl-title = التجربة
console-tokens-curl-about = يرجى لصق هذا السطر في الطرفية. يعرض السطر أشخاصا من مؤسستك.
console-tokens-curl-sync = يرجى لصق هذا السطر في الطرفية مع استبدال API_TOKEN برمز API لمنصة التعلم وCOURSE_ID بمعرّف المقرر.
console-tokens-go-on = تم النسخ والمتابعة
console-tokens-requests = الطلبات خلال 30 يوما
console-tokens-requests-title = الطلبات يوميا
console-tokens-requests-sum =
    { $count ->
        [zero] لا طلبات ({ $count }) خلال آخر 30 يوما.
        [one] طلب واحد خلال آخر 30 يوما.
        [two] طلبان خلال آخر 30 يوما.
        [few] { $count } طلبات خلال آخر 30 يوما.
        [many] { $count } طلبا خلال آخر 30 يوما.
       *[other] { $count } طلب خلال آخر 30 يوما.
    }
console-tokens-chart = الطلبات يوميا، { $most } على الأكثر
console-tokens-since = من { $day } حتى اليوم
console-tokens-by-day = الأعداد حسب اليوم
console-tokens-day = اليوم
console-tokens-counted = تظهر الطلبات هنا بعد بضع ثوان.
console-tokens-rotate-title = استبدال الرمز
console-tokens-rotate-about = يُنشأ رمز جديد بالأذونات نفسها، ويبقى القديم صالحا لفترة حتى لا ينقطع شيء.
console-tokens-overlap-label = مدة بقاء الرمز القديم صالحا
console-tokens-overlap-none = لا يبقى
console-tokens-rotate = إنشاء رمز جديد
console-tokens-revoke-title = إلغاء الرمز
console-tokens-revoke-about = يتوقف عن العمل خلال ثانية ولا يمكن إعادته.
console-tokens-revoke-confirm = ستتوقف البرامج التي تستخدم هذا الرمز عن العمل
console-tokens-revoke-unconfirmed = يرجى التأكيد.
console-tokens-revoke = إلغاء الرمز
console-tokens-done-revoked = تم إلغاء الرمز.
