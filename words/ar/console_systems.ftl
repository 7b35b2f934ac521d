# The console: learning systems and phone.

console-systems-none = لم تُربط أي منصة تعلم بعد. يمكن ربط منصتك أدناه ليظهر أشخاص المقررات تلقائيا.
console-systems-name = الاسم
console-systems-name-hint = اسمها في لوحة التحكم هذه، مثل «Canvas».
console-systems-state = الحالة
console-systems-enabled = متصلة
console-systems-disabled = معطلة
console-systems-kind = النوع
console-systems-canvas = Canvas
console-systems-moodle = Moodle
console-systems-lti = LTI 1.3
console-systems-url = العنوان
console-systems-created = متصلة منذ
console-systems-courses = المقررات
console-systems-courses-failed = فشل
console-systems-synced = آخر مزامنة
console-systems-never = لم تتم
console-systems-next = المزامنة التالية
console-systems-connect-title = ربط منصة تعلم
console-systems-connect-canvas = ربط Canvas
console-systems-connect-moodle = ربط Moodle
console-systems-connect-lti = ربط منصة أخرى عبر LTI 1.3
console-systems-invitation-title = رابط التسجيل لـ LTI
console-systems-invitation-about = تستطيع منصات تعلم كثيرة الاتصال بنفسها عبر رابط (التسجيل الديناميكي). يعمل الرابط مرة واحدة خلال سبعة أيام.
console-systems-invitation-create = إنشاء رابط تسجيل
console-systems-invitation-until = يظهر هذا الرابط الآن فقط. يعمل مرة واحدة حتى { $until }.
console-systems-invitation-use = في إدارة منصة التعلم، يرجى لصق الرابط حيث يُطلب عنوان URL للتسجيل. تظهر المنصة هنا بعد ذلك.
console-systems-invitation-link = رابط التسجيل
console-systems-copy = نسخ
console-systems-go-on = متابعة
console-systems-canvas-about = يرجى إنشاء رمز وصول في Canvas لحساب يستطيع رؤية أشخاص المقررات مع بريدهم ومعرّفات SIS. يُفحص الرمز قبل الربط.
console-systems-moodle-about = يرجى إنشاء رمز في Moodle لخدمة ويب تتضمن الدوال core_webservice_get_site_info وcore_course_get_courses_by_field وcore_enrol_get_enrolled_users. يُفحص الرمز قبل الربط.
console-systems-lti-about = يرجى إدخال ما تعرضه المنصة بعد تسجيل Endonym فيها كأداة. رابط التسجيل أسهل إذا كانت المنصة تدعمه.
console-systems-canvas-url = عنوانها الجذري، مثل https://canvas.example.edu، دون /api/v1.
console-systems-moodle-url = عنوان wwwroot، مثل https://moodle.example.edu.
console-systems-issuer-hint = جهة الإصدار (issuer أو platform ID) كما تعرضها المنصة تماما.
console-systems-token = رمز الوصول إلى منصة التعلم
console-systems-token-hint = يُحفظ مشفرا ولا يظهر مرة أخرى.
console-systems-token-unchanged = يُترك فارغا للإبقاء على الرمز الحالي.
console-systems-client = معرّف العميل
console-systems-deployments = معرّفات النشر
console-systems-lines-hint = واحد في كل سطر.
console-systems-endpoint-hint = يُترك فارغا ليُقرأ من المنصة.
console-systems-auth-url = عنوان URL للمصادقة
console-systems-token-url = عنوان URL للرموز
console-systems-jwks-url = عنوان URL لمجموعة المفاتيح
console-systems-frames = المواقع المسموح لها بتضمين Endonym
console-systems-frames-hint = أصل واحد في كل سطر، مثل https://lms.example.edu.
console-systems-roles = من يُدرج
console-systems-roles-blank = يرجى اختيار خيار واحد على الأقل.
console-systems-student = الطلاب
console-systems-teacher = المدرّسون
console-systems-assistant = المساعدون
console-systems-designer = مصممو المقررات
console-systems-observer = المراقبون
console-systems-connect = ربط
console-systems-anyway = الربط رغم فشل الفحص
console-systems-check = فحص الاتصال
console-systems-check-title = فحص الاتصال
console-systems-step-address = يمكن الوصول إلى العنوان
console-systems-step-credentials = بيانات الاعتماد مقبولة
console-systems-step-permissions = الأذونات كافية
console-systems-step-course = يمكن قراءة أشخاص مقرر
console-systems-passed = نعم
console-systems-failed = لا
console-systems-skipped = لم يُفحص
console-systems-names = مع اسم
console-systems-emails = مع بريد إلكتروني
console-systems-identifiers = مع معرّف
console-systems-pictures = مع صورة
console-systems-address-refused = لا يمكن استخدام هذا العنوان: { $why }
console-systems-api-root = يرجى إدخال العنوان الجذري لـ Canvas دون /api/v1.
console-systems-not-origin = يرجى إدخال أصول مثل https://lms.example.edu دون مسار.
console-systems-repeated = يظهر كل منها مرة واحدة فقط.
console-systems-taken = هذه المنصة مرتبطة بالفعل بمعرّف العميل نفسه.
console-systems-made-title = تم ربط منصة التعلم
console-systems-made-about = الخطوة التالية مزامنة مقرر: يظهر أشخاصه في صفحة أسماء خاصة به.
console-systems-api-token = رمز API لمنصة التعلم هذه
console-systems-api-token-hint = تحتاج إليه فقط البرامج التي تبدأ المزامنة عبر API. يظهر الآن فقط.
console-systems-edit = تعديل
console-systems-edit-title = تعديل منصة التعلم
console-systems-changed = غيّر شخص آخر هذا في هذه الأثناء، ولم تُحفظ تغييراتك بعد. يرجى المقارنة ثم الحفظ مجددا.
console-systems-schedule = المزامنة التلقائية
console-systems-nightly = كل ليلة
console-systems-hourly = كل ساعة
console-systems-unscheduled = متوقفة
console-systems-disable = تعطيل
console-systems-enable = تفعيل
console-systems-is-disabled = منصة التعلم هذه معطلة. يرجى تفعيلها لمزامنة المقررات.
console-systems-no-courses = لا توجد مقررات معروفة بعد. يرجى إدخال معرّف مقرر أدناه أو فتح Endonym في مقرر بالمنصة.
console-systems-course = المقرر
console-systems-course-id = المعرّف
console-systems-course-running = تجري المزامنة
console-systems-course-retried = فشل وستُعاد المحاولة
console-systems-course-failed = فشل
console-systems-course-synchronized = تمت المزامنة
console-systems-course-new = لم تتم المزامنة بعد
console-systems-sync = المزامنة الآن
console-systems-sync-all = مزامنة كل المقررات
console-systems-add-course = مزامنة مقرر آخر
console-systems-add-course-hint = معرّف المقرر في منصة التعلم، مثل 101 أو sis_course_id:BIO-1.
console-systems-course-blank = يرجى إدخال معرّف مقرر.
console-systems-course-unknown = لا يوجد هذا المقرر في منصة التعلم أو أنها لا تعرضه لنا.
console-systems-course-refused = تعذر الاستعلام من منصة التعلم: { $why }
console-systems-first = أول المقررات
console-systems-more = مزيد من المقررات
console-systems-delete-title = حذف منصة التعلم
console-systems-delete-about = لا يمكن التراجع عن هذا. لن تُزامن مقرراتها بعد ذلك، وتبقى صفحات الأسماء بكل من فيها.
console-systems-delete-name = يرجى كتابة اسمها لحذفها
console-systems-delete-wrong = هذا ليس اسمها. لم يُحذف شيء.
console-systems-delete = حذف
console-systems-done-enabled = تم تفعيل منصة التعلم.
console-systems-done-disabled = منصة التعلم معطلة ولا تُزامن مقرراتها.
console-systems-done-started = بدأت المزامنة. يرجى إعادة تحميل الصفحة لمعرفة النتيجة.
console-systems-done-all-started = ستُزامن كل المقررات خلال الدقائق القادمة واحدا تلو الآخر.
console-systems-done-saved = تم حفظ التغييرات.
console-systems-done-deleted = تم حذف منصة التعلم.

# Phone.

console-phone-unconfigured = لا يُتصل بأحد: لا يوجد هاتف في هذا التثبيت.
console-phone-unconfigured-what = يضبط مشغّل الخادم phone_url على خط SIP أو حساب هاتف سحابي. عندئذ يُتصل بمن يقدم رقم هاتف ليُطلب منه نطق اسمه.
console-phone-now = المكالمات الجارية
console-phone-now-none = لا توجد مكالمات جارية.
console-phone-next = المكالمات القادمة
console-phone-next-none = لا توجد مكالمات مجدولة. يمكن فتح سجل شخص ضمن «الأشخاص» للاتصال به، أو استيراد أشخاص مع أرقام هواتفهم.
console-phone-over = المكالمات المنتهية
console-phone-over-none = لم تُجر أي مكالمات بعد.
console-phone-person = الشخص
console-phone-nobody = غير معروف
console-phone-number = رقم الهاتف
console-phone-number-hint = مع رمز البلد، مثل +1 202 555 0123.
console-phone-not-a-number = هذا ليس رقم هاتف مع رمز البلد.
console-phone-state = الحالة
console-phone-attempts-made = المحاولات
console-phone-scheduled = مجدولة
console-phone-dialing = يرن
console-phone-talking = جارية
console-phone-recorded = تم التسجيل
console-phone-no-answer = لا رد
console-phone-busy = مشغول
console-phone-failed = فشلت
console-phone-canceled = ملغاة
console-phone-no-key = لم يُضغط أي مفتاح: غالبا مجيب آلي
console-phone-silence = لم يُقل شيء بعد النغمة
console-phone-hung-up = أُغلق الخط
console-phone-declined = رُفضت المكالمة
console-phone-not-kept = لم يُحتفظ بأي تسجيل
console-phone-unusable = تعذر استخدام التسجيل
console-phone-unreachable = لم تكمل شبكة الهاتف المكالمة
console-phone-interrupted = أُعيد تشغيل الخادم أثناء المكالمة
console-phone-opted-out = طُلب عدم الاتصال
console-phone-recorded-elsewhere = يوجد تسجيل من مصدر آخر
console-phone-number-changed = تغيّر الرقم
console-phone-by-operator = أُلغيت من هنا
console-phone-left-course = غادر الشخص المقرر
console-phone-cancel = إلغاء
console-phone-retry = إعادة الاتصال
console-phone-first = العودة إلى البداية
console-phone-older = مكالمات أقدم
console-phone-more = مزيد من الأرقام
console-phone-done-canceled = تم إلغاء المكالمة.
console-phone-done-retried = أُعيدت جدولة المكالمة.
console-phone-done-tested = المكالمة التجريبية في القائمة مع وقتها، وتنتظر في ساعات الهدوء.
console-phone-fault-over = انتهت هذه المكالمة بالفعل.
console-phone-fault-recorded = أدت هذه المكالمة إلى تسجيل بالفعل.
console-phone-fault-pending = يجري الاتصال بهذا الشخص بالفعل.
console-phone-fault-opted-out = هذا الرقم في قائمة عدم الاتصال.
console-phone-fault-number = لدى هذا الشخص رقم آخر الآن.
console-phone-limits = ساعات الهدوء والحدود
console-phone-limits-about = يحددها مشغّل الخادم. ساعات الهدوء بالتوقيت المحلي للهاتف.
console-phone-quiet-hours = ساعات الهدوء
console-phone-no-quiet-hours = لا توجد
console-phone-countries = البلدان
console-phone-all-countries = كلها
console-phone-attempts = المحاولات لكل مكالمة
console-phone-retry-after = المدة بين المحاولات
console-phone-minutes =
    { $count ->
        [zero] { $count } دقيقة
        [one] دقيقة واحدة
        [two] دقيقتان
        [few] { $count } دقائق
        [many] { $count } دقيقة
       *[other] { $count } دقيقة
    }
console-phone-ring = مدة الرنين
console-phone-seconds =
    { $count ->
        [zero] { $count } ثانية
        [one] ثانية واحدة
        [two] ثانيتان
        [few] { $count } ثوان
        [many] { $count } ثانية
       *[other] { $count } ثانية
    }
console-phone-at-once = المكالمات المتزامنة
console-phone-per-minute = المكالمات في الدقيقة
console-phone-per-day = المكالمات في اليوم
console-phone-test-title = مكالمة تجريبية
console-phone-test-about = تصلك مكالمة يمكنك فيها تسجيل اسمك. تنطبق القواعد نفسها: ساعات الهدوء والحدود وقائمة عدم الاتصال.
console-phone-test-number = رقم هاتفك
console-phone-test-unregistered = يُتصل فقط بالأشخاص في صفحة أسماء. يرجى التسجيل أولا في إحداها ببريدك.
console-phone-test = الاتصال بي
console-phone-opt-outs = قائمة عدم الاتصال
console-phone-opt-outs-about = لا يُتصل بهذه الأرقام أبدا. يضيف الأشخاص أنفسهم أثناء مكالمة أو تضيفهم بناء على طلبهم.
console-phone-opt-outs-none = لا توجد أرقام في القائمة.
console-phone-since = منذ
console-phone-erased = رقم شخص محذوف
console-phone-remove = إزالة
console-phone-add-title = إضافة رقم
console-phone-add = عدم الاتصال بهذا الرقم
console-phone-done-added = أُضيف الرقم إلى القائمة وأُلغيت مكالماته.
console-phone-done-removed = يمكن الاتصال بالرقم مجددا.
