# The console: members and audit.

console-members-lead = يدير الأعضاء صفحات الأسماء في المؤسسة أو يستمعون إليها. تسجيل الدخول كما هو للجميع.
console-members-add = إضافة عضو
console-members-owners-only = إضافة الأعضاء وتغييرهم وإزالتهم لأصحاب دور المالك فقط.
console-members-none = لا أحد له دور بعد. يرجى إضافة نفسك أولا بدور المالك.
console-members-email = البريد الإلكتروني
console-members-email-hint = يكون تسجيل الدخول بهذا العنوان.
console-members-email-fault = لا يمكن استخدام هذا البريد الإلكتروني. يرجى التحقق منه.
console-members-known = هذا الشخص عضو بالفعل. يمكن تغيير الدور في القائمة.
console-members-role = الدور
console-members-since = منذ
console-members-act = الإجراءات
console-members-change = تغيير
console-members-change-title = تغيير عضو
console-members-you = أنت
console-members-only-owner = المالك الوحيد
console-members-first = إلى البداية
console-members-back = العودة إلى الأعضاء
console-members-owner = مالك
console-members-owner-hint = كل شيء مسموح، في جميع الصفحات.
console-members-admin = مسؤول
console-members-admin-hint = كل شيء مسموح، ما عدا تغيير الأعضاء وإعداد تسجيل الدخول الموحد والأدلة وتحديد مدة الاحتفاظ بسجل التدقيق وحذف المؤسسة.
console-members-manager = مدير صفحات
console-members-manager-hint = إدارة الصفحات المختارة: الأشخاص والدعوات والمراجعة والتصدير.
console-members-reader = مستمع
console-members-reader-hint = الاستماع إلى الأسماء في الصفحات المختارة، ولا شيء غير ذلك.
console-members-all-pages = الكل
console-members-no-pages = لا شيء
console-members-more-pages = { $count ->
    [zero] ولا صفحات أخرى
    [one] وصفحة أخرى
    [two] وصفحتان أخريان
    [few] و{ $count } صفحات أخرى
    [many] و{ $count } صفحة أخرى
   *[other] و{ $count } صفحة أخرى
}
console-members-pages-now = { $count ->
    [zero] بلا صفحات أسماء
    [one] صفحة أسماء واحدة
    [two] صفحتا أسماء
    [few] { $count } صفحات أسماء
    [many] { $count } صفحة أسماء
   *[other] { $count } صفحة أسماء
}
console-members-pages-hint = لمديري الصفحات والمستمعين. للمالك والمسؤول جميع الصفحات.
console-members-pages-many = هذا العدد من الصفحات كبير جدا (الحد { $most }). يرجى منح دور المسؤول بدلا من ذلك.
console-members-page-unknown = إحدى هذه الصفحات لم تعد موجودة، أو أن رمزها غير صحيح.
console-members-more = صفحات أخرى
console-members-more-hint = تظهر هنا أحدث الصفحات فقط. يرجى كتابة رموز الصفحات الأقدم أو أسمائها القصيرة، مفصولة بفواصل.
console-members-last-owner = تحتاج المؤسسة إلى مالك. يرجى منح دور المالك لشخص آخر أولا.
console-members-added = تمت إضافة العضو، ويمكن تسجيل الدخول هنا: { $address }
console-members-changed = تم الحفظ، ويسري ذلك فورا.
console-members-removed = انتهى الدور.
console-members-remove = إزالة هذا العضو
console-members-remove-lead = ينتهي الدور فورا. تبقى التسجيلات الشخصية محفوظة.
console-members-tokens = رموز الوصول التي أنشأها هذا الشخص
console-members-tokens-lead = هذا الشخص يعرفها، وهي ما زالت تعمل. ما الذي ينبغي فعله بها؟
console-members-tokens-keep = الإبقاء عليها
console-members-tokens-keep-hint = تستمر البرامج في العمل. يرجى بعد ذلك استبدال كل رمز منها حتى لا يعرفه من غادر.
console-members-tokens-revoke = إلغاؤها
console-members-tokens-revoke-hint = تتوقف البرامج التي تستخدمها عن العمل خلال ثانية.
console-members-tokens-fault = يرجى اختيار ما ينبغي فعله برموز الوصول.
console-members-groups = الأدوار حسب المجموعة
console-members-groups-lead = كل من في مجموعة من مجموعات تسجيل الدخول الموحد يحصل على دورها عند تسجيل الدخول التالي، ويفقده بعد مغادرة المجموعة. عند تعدد المجموعات يسري الدور الأعلى. الأدوار الممنوحة يدويا تبقى.
console-members-groups-none = يرجى إعداد تسجيل الدخول الموحد أولا.
console-members-groups-empty = لا دور لأي مجموعة بعد.
console-members-group = المجموعة
console-members-group-hint = كما يكتبها مزود الهوية تماما. يكتب Microsoft Entra معرف كائن المجموعة.
console-members-group-add = حفظ دور المجموعة
console-members-group-remove = إزالة
console-members-group-pages-hint = لمديري الصفحات والمستمعين: رموز الصفحات أو أسماؤها القصيرة، مفصولة بفواصل.
console-members-claim = اسم الحقل الذي يحتوي على المجموعات
console-members-claim-hint = يستخدم معظم المزودين: groups
console-members-by-group = حسب المجموعة

console-audit-lead = كل تغيير مدون هنا: من أجراه، ومتى، وما كان قبله.
console-audit-search = البحث في كل شيء
console-audit-act = ماذا
console-audit-any = أي شيء
console-audit-who = من
console-audit-person = بيانات من
console-audit-from = من يوم
console-audit-to = إلى يوم
console-audit-day-fault = يرجى كتابة اليوم مثل 2026-07-01.
console-audit-clear = عرض كل شيء
console-audit-about-one = تغييرات هذا فقط:
console-audit-none = لم يتم العثور على شيء. يرجى تجربة كلمات أقل أو أيام أخرى.
console-audit-go-on = لا شيء حتى الآن. يستمر البحث في السجلات الأقدم.
console-audit-when = متى
console-audit-subject = الموضوع
console-audit-fields = ما تغير
console-audit-origin = من أين
console-audit-newest = الأحدث
console-audit-older = الأقدم
console-audit-export = تصدير
console-audit-export-lead = جميع السجلات التي يجدها البحث، مع القيم القديمة والجديدة. يحتوي الملف على بيانات شخصية.
console-audit-csv = كجدول (CSV)
console-audit-json = للبرامج (JSON lines)
console-audit-retention = مدة الاحتفاظ
console-audit-kept = { $days ->
    [zero] تحذف السجلات في الحال.
    [one] تحذف السجلات بعد يوم واحد.
    [two] تحذف السجلات بعد يومين.
    [few] تحذف السجلات بعد { $days } أيام.
    [many] تحذف السجلات بعد { $days } يوما.
   *[other] تحذف السجلات بعد { $days } يوم.
}
console-audit-kept-forever = لا تحذف السجلات أبدا.
console-audit-keep = الاحتفاظ بالسجلات
console-audit-keep-days = لمدة محددة
console-audit-days = الأيام
console-audit-days-fault = يرجى كتابة عدد أيام من 1 إلى 36500.
console-audit-keep-forever = إلى الأبد
console-audit-owners-only = تغيير ذلك لأصحاب دور المالك فقط.
console-audit-entry = تغيير واحد
console-audit-back = العودة إلى سجل التدقيق
console-audit-no-values = لم تتغير أي قيمة.
console-audit-field = الحقل
console-audit-before = قبل
console-audit-after = بعد
console-audit-by-token = رمز وصول
console-audit-by-operator = تشغيل الخادم
console-audit-by-member = عضو
console-audit-by-person = الشخص نفسه
console-audit-by-lti = الشخص نفسه، في منصة التعلم
console-audit-by-phone = الشخص نفسه، بالهاتف
console-audit-by-scim = دليل
console-audit-by-system = تلقائيا
