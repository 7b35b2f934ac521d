# The console: name pages, moderation and custom fields.

console-pages-search = البحث بالعنوان أو برابط الصفحة
console-pages-state = الحالة
console-pages-any = المفتوحة والمغلقة
console-pages-show = عرض
console-pages-new = صفحة أسماء جديدة
console-pages-none = لا توجد صفحات أسماء بعد. يرجى إنشاء الأولى ثم دعوة الأشخاص إليها.
console-pages-none-found = لا توجد صفحة أسماء مطابقة.
console-pages-none-given = لم تخصص لك صفحات أسماء بعد. يمكن لمالك في مؤسستك القيام بذلك.
console-pages-more = صفحات أسماء أقدم
console-pages-start = العودة إلى الأحدث

console-page-title = العنوان
console-page-title-hint = مثلا: دفعة 2027.
console-page-date = التاريخ
console-page-date-hint = يوم الحفل أو المحاضرة الأولى. يمكن تركه فارغا.
console-page-people = الأشخاص
console-page-recorded = المسجلون صوتيا
console-page-invited = المدعوون
console-page-open = مفتوحة
console-page-closed = مغلقة
console-page-archived = مؤرشفة
console-page-slug = رابط الصفحة
console-page-slug-hint = نهاية عنوان الصفحة: حروف لاتينية صغيرة وأرقام وشرطات. إذا ترك فارغا ينشأ من العنوان.
console-page-access-code = رمز الوصول إلى الصفحة
console-page-access-code-hint = للبرامج التي تستخدم إصدارات قديمة من واجهة البرمجة. إذا ترك فارغا ينشأ رمز.
console-page-create = إنشاء صفحة الأسماء
console-page-created = تم إنشاء صفحة الأسماء. يرجى الآن مراجعة إعداداتها ودعوة الأشخاص.
console-page-saved = تم حفظ الإعدادات.
console-page-copied = هذه هي النسخة. يرجى مراجعة تاريخها ووقت إغلاقها.
console-page-copied-people = هذه هي النسخة. يضاف الأشخاص خلال دقائق. يرجى مراجعة تاريخها ووقت إغلاقها.
console-page-was-archived = تمت أرشفة صفحة الأسماء.
console-page-was-restored = لم تعد صفحة الأسماء مؤرشفة.
console-page-deleted = تم حذف صفحة الأسماء.
console-page-print = طباعة الأسماء
console-page-archived-note = هذه الصفحة مؤرشفة. يمكن تغيير إعداداتها بعد استعادتها.
console-page-basics = عن الصفحة
console-page-description = الوصف
console-page-description-hint = ما يقرأه الزوار عن الصفحة.
console-page-registering = التسجيل في الصفحة
console-page-register = من يمكنه التسجيل في الصفحة

console-register-invited = المدعوون
console-register-domain = من لديه بريد إلكتروني في أحد النطاقات أدناه
console-register-code = من يعرف رمز الفعالية
console-register-open = أي شخص

console-page-domains = النطاقات
console-page-domains-hint = نطاق في كل سطر، مثل example.edu، أو ‎*.example.edu للنطاقات الفرعية.
console-page-closes = وقت الإغلاق
console-page-closes-hint = بعده لا يمكن لأحد التسجيل. بالمنطقة الزمنية { $zone }. يمكن تركه فارغا.
console-page-asked = ما يطلب من الأشخاص

console-asked-name = الاسم
console-asked-pronouns = الضمائر
console-asked-off = لا يطلب
console-asked-optional = اختياري
console-asked-required = مطلوب
console-asked-default = كما يحدده الحقل المخصص

console-page-listening = الاستماع
console-page-listen = من يمكنه الاستماع

console-listen-managers = فقط من يدير الصفحة أو يمكنه قراءتها
console-listen-registered = وكذلك المسجلون في الصفحة
console-listen-institution = وكذلك أفراد المؤسسة بعد تسجيل الدخول
console-listen-link = أي شخص لديه الرابط

console-page-moderation = التسجيلات الجديدة

console-moderation-off = يمكن سماعها فورا
console-moderation-hold = تنتظر موافقة أحد مديري الصفحة

console-page-recordings = التسجيلات
console-page-take = أقصى مدة للتسجيل بالثواني
console-page-take-hint = إذا ترك فارغا يطبق حد هذا النظام.
console-page-days = حذف التسجيلات بعد التاريخ بعدد من الأيام
console-page-days-hint = يبلغ الأشخاص قبل ذلك بـ 14 يوما. إذا ترك فارغا تبقى التسجيلات.
console-page-deletes = تحذف التسجيلات في { $date }.
console-page-api = الإصدار 2 من واجهة البرمجة
console-page-v2 = الرد على البرامج التي تعرف رمز الوصول إلى الصفحة
console-page-v2-hint = عندها يمكن لمن يعرف الرمز قراءة أسماء كل من في هذه الصفحة وعناوين بريدهم وتسجيلاتهم بدون رمز وصول شخصي. يرجى التعامل مع الرمز ككلمة مرور.
console-page-acts = النسخ والأرشفة والحذف
console-page-archive = أرشفة
console-page-restore = استعادة
console-page-archive-hint = الصفحة المؤرشفة لا تقبل تسجيلات جديدة ولا ترسل تذكيرات، ويمكن استعادتها في أي وقت.
console-page-copy = نسخ صفحة الأسماء
console-page-copy-lead = للنسخة نفس الإعدادات والنصوص والحقول ونفس المديرين، ولها رموز خاصة بها.
console-page-copy-people = نسخ الأشخاص أيضا
console-page-copy-people-hint = كل من لديه بريد إلكتروني، بدون التسجيلات والصور. لن تتم مراسلة أحد أو الاتصال به.
console-page-copy-now = إنشاء النسخة
console-page-delete = حذف صفحة الأسماء
console-page-delete-lead = سيؤدي هذا إلى حذف الصفحة وكل ما فيها، ولا يمكن التراجع عنه. لإنهائها فقط يرجى أرشفتها.
console-page-delete-people = الأشخاص الذين يحذفون معها: { $count }
console-page-delete-recordings = التسجيلات التي تحذف معها: { $count }
console-page-delete-now = حذف نهائي

console-moderation-lead = ما ينتظر الموافقة وما أبلغ عنه المستمعون، في كل صفحات الأسماء التي تديرها.

console-fields-lead = الحقول المخصصة هي ما تطلبه مؤسستك من الأشخاص إضافة إلى أسمائهم. تقرؤها البرامج وتكتبها عبر واجهة البرمجة كنص عادي أيا كان نوعها.
console-fields-none = لا توجد حقول مخصصة بعد. يرجى إنشاء الأول أدناه، مثلا للضمائر أو للدرجة العلمية.
console-fields-new = حقل مخصص جديد

console-field-label = التسمية
console-field-label-hint = ما يقرأه الأشخاص، مثلا: الضمائر.
console-field-name = الاسم البرمجي
console-field-name-hint = ما تستخدمه البرامج: حروف لاتينية صغيرة وأرقام وشرطات سفلية، مثل gender_pronouns. لا يمكن تغييره لاحقا.
console-field-import-key = المفتاح في الاستيراد والطلبات
console-field-kind = النوع

console-kind-text = نص
console-kind-long-text = نص طويل
console-kind-choice = خيار واحد
console-kind-choices = عدة خيارات
console-kind-yes-no = نعم أو لا

console-field-options = الخيارات المتاحة
console-field-options-hint = للخيارات فقط: خيار في كل سطر بدون فاصلة منقوطة. تبقى القيم الموجودة عند التغيير.
console-field-edited-by = من يمكنه تغييره

console-edited-by-person = الشخص نفسه
console-edited-by-staff = الموظفون فقط. حيث تطلبه صفحة يجيب الأشخاص مرة واحدة.

console-field-asked = في كل صفحات الأسماء
console-field-on-badge = العرض في بطاقات الأسماء
console-field-on-badge-hint = يمكن لكل من لديه رابط البطاقة قراءته. تُعرض الضمائر دائما.
console-field-order = الترتيب
console-field-up = نقل { $field } إلى أعلى
console-field-down = نقل { $field } إلى أسفل
console-field-create = إنشاء الحقل المخصص
console-field-created = تم إنشاء الحقل المخصص.
console-field-saved = تم حفظ الحقل المخصص.
console-field-deleted = تم حذف الحقل المخصص.
console-field-pages = صفحات أسماء لها إعداد خاص
console-field-pages-lead = تحدد هذه الصفحات بنفسها هل تطلب هذا الحقل. وتتبع الصفحات الأخرى الاختيار أعلاه.
console-field-pages-none = لا توجد صفحة أسماء لها إعداد خاص لهذا الحقل.
console-field-page = صفحة الأسماء
console-field-page-hint = نهاية عنوانها أو رمز فعاليتها.
console-field-how = كيف تطلبه هذه الصفحة
console-field-delete = حذف الحقل المخصص
console-field-delete-lead = سيؤدي هذا إلى حذف الحقل وكل قيمه، في الصفحات وفي واجهة البرمجة، ولا يمكن التراجع عنه.
console-field-values = الأشخاص الذين لديهم قيمة: { $count }
console-field-values-partial = الأشخاص الذين لديهم قيمة من بين أحدث { $people }: { $count }
console-field-delete-now = حذف نهائي

console-set-outdated = غيّر شخص آخر هذا بعد فتحك له، ولم يحفظ شيء. ما أدخلته ما زال هنا. وحيث يختلف عن المحفوظ الآن يذكر ذلك تحت الحقل. يرجى الحفظ مرة أخرى لاستخدام ما أدخلته.
console-set-now = المحفوظ الآن: { $value }
console-set-now-nothing = لا يوجد شيء محفوظ هنا الآن.
console-set-rejected = لم يحفظ شيء بعد. يرجى مراجعة الحقول المحددة.
console-set-type-title = يرجى كتابة العنوان للتأكيد: { $title }
console-set-type-name = يرجى كتابة الاسم البرمجي للتأكيد: { $name }
console-set-fault-typed = هذا غير مطابق. لم يحذف شيء.
console-set-fault-taken = هذا مستخدم بالفعل. يرجى اختيار غيره.
console-set-fault-slug = يرجى استخدام حروف لاتينية صغيرة وأرقام وشرطات فقط، بدون شرطة في البداية أو النهاية.
console-set-fault-code = يرجى استخدام 100 حرف ظاهر على الأكثر بدون مسافات.
console-set-fault-code-short = يرجى استخدام 8 أحرف على الأقل.
console-set-fault-field-name = يرجى البدء بحرف واستخدام حروف لاتينية صغيرة وأرقام وشرطات سفلية فقط.
console-set-fault-reserved = يوجد حقل باسم { $name } من قبل. يرجى اختيار اسم آخر.
console-set-fault-date = هذا ليس تاريخا. يجب أن يكون بالشكل 2027-05-31.
console-set-fault-date-needed = يرجى إدخال تاريخ: يفترض حذف التسجيلات بعده بأيام.
console-set-fault-closing = هذا ليس تاريخا ووقتا. يجب أن يكون بالشكل 2027-05-31 18:00.
console-set-fault-domain = { $domain } ليس نطاقا. يجب أن يكون بالشكل example.edu.
console-set-fault-domains-needed = يرجى إدخال نطاق واحد على الأقل أو تغيير من يمكنه التسجيل في الصفحة.
console-set-fault-many = هذا كثير. الحد الأقصى { $most }.
console-set-fault-range = يرجى إدخال رقم من { $least } إلى { $most }.
console-set-fault-options = يرجى إدخال الخيارات، خيار في كل سطر.
console-set-fault-option = يحتوي { $option } على فاصلة منقوطة تفصل بين الخيارات. يرجى حذفها.
console-set-fault-page = لا توجد صفحة أسماء كهذه. يرجى التحقق من عنوانها.
