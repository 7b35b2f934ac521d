# الصفحات داخل منصات التعلم.

lti-course-title = { $course }: الأسماء وطريقة نطقها
lti-own-title = { $name }: طريقة نطق الاسم
lti-time = { $day } { $month ->
        [1] يناير
        [2] فبراير
        [3] مارس
        [4] أبريل
        [5] مايو
        [6] يونيو
        [7] يوليو
        [8] أغسطس
        [9] سبتمبر
        [10] أكتوبر
        [11] نوفمبر
       *[12] ديسمبر
    } { $year }، { $time } ({ $zone })

# المقرر، لمن يدرسه. why رسالة من منصة التعلم أو من الخادم بالإنجليزية.
lti-sync-fetching = جار جلب القائمة من منصة التعلم.
lti-sync-running = المزامنة جارية الآن. تاريخ القائمة: { $time }.
lti-sync-done = تمت المزامنة مع منصة التعلم في { $time }.
lti-sync-none = لم تتم المزامنة مع منصة التعلم بعد.
lti-sync-fetch-failed = تعذر جلب القائمة: { $why }.
lti-sync-failed = تاريخ القائمة: { $time }. لم تنجح آخر مزامنة: { $why }.
lti-sync-ended = انتهت المزامنة.
lti-sync-show = عرض القائمة الجديدة
lti-sync-again = التحقق مرة أخرى
lti-sync-now = المزامنة الآن
lti-note = ملاحظة:
lti-own-why = يمكن لطلابك سماع طريقة نطق اسمك.
lti-own-add = إضافة اسمك
lti-own-change = تعديل سجلك
lti-own-link = اسمك
lti-find = البحث عن اسم
lti-find-send = بحث
lti-shown = الأشخاص المعروضون
lti-everybody = الجميع
lti-unrecorded = لم يسجل بعد
lti-first = يستغرق هذا لحظة. ستظهر الأسماء هنا تلقائيا.
lti-found =
    { $count ->
        [zero] لم يتم العثور على أي شخص.
        [one] تم العثور على شخص واحد.
        [two] تم العثور على شخصين.
        [few] تم العثور على { $count } أشخاص.
        [many] تم العثور على { $count } شخصا.
       *[other] تم العثور على { $count } شخص.
    }
lti-found-nobody = لا أحد هنا اسمه { $search }.
lti-show-everybody = عرض الجميع
lti-all-recorded = سجل الجميع أسماءهم.
lti-nobody = لا يوجد أحد في هذا المقرر بعد.
lti-pages = الصفحات
lti-page = الصفحة { $page } من { $pages }
lti-back = السابق
lti-next = التالي
lti-staff = هيئة تدريس هذا المقرر

# السجل الخاص.
lti-play-own = تشغيل تسجيلك
lti-only-here = لهذا المقرر فقط
lti-only-here-hint = دون تحديد هذا الخيار، يستخدم تسجيلك في كل مقرراتك.
lti-is-only-here = هذا التسجيل مخصص لهذا المقرر فقط.
lti-called = سنتصل بك قريبا. يرجى نطق اسمك عندما يطلب منك ذلك.
lti-called-at = سنتصل بك على الرقم { $number }. يرجى نطق اسمك عندما يطلب منك ذلك.
lti-saved = تم الحفظ.
lti-another-number = رقم هاتف آخر
lti-signed-out = انتهت جلستك: يرجى فتح هذه الصفحة من جديد من المقرر في علامة تبويب أخرى وتسجيل اسمك هناك. وحتى ذلك الحين يبقى تسجيلك هنا.

# إضافة رابط إلى مقرر.
lti-link-title = إضافة رابط إلى المقرر
lti-link-lead = يجد المدرسون هناك أسماء الجميع مع تسجيلاتها، ويجد الطلاب أسماءهم لتسجيلها.
lti-link-label = عنوان الرابط
lti-link-default = الأسماء وطريقة نطقها
lti-link-add = إضافة
lti-link-cancel = إلغاء
lti-return-title = العودة إلى المقرر
lti-return-link = جار تسليم الرابط إلى منصة التعلم.
lti-return-none = لا يضاف شيء إلى المقرر.
lti-return-press = إذا لم يحدث شيء، فيرجى الضغط على الزر.

# تسجيل منصة تعلم، لمن يديرها.
lti-register-link-title = يرجى إعطاء هذا الرابط لمنصة التعلم
lti-register-link = هذا الرابط مخصص لمنصة التعلم: يرجى لصقه كعنوان URL للتسجيل في المكان الذي تضاف فيه أداة LTI جديدة.
lti-register-link-where = في Moodle يوجد ذلك في إدارة الموقع، ثم الإضافات، ثم الأداة الخارجية، ثم إدارة الأدوات. وفي غيرها يرجى البحث عن التسجيل الديناميكي.
lti-registered-title = تم التسجيل
lti-registered = تم تسجيل { $name } بالمعرف { $id }.
lti-registered-activate = قد يلزم تفعيل الأداة في منصة التعلم قبل استخدامها.
lti-updated-title = تم التحديث
lti-updated = تم تحديث { $name } بالمعرف { $id }.
lti-updated-kept = كل ما تم إعداده هنا باق كما كان.
lti-no-deployment = لم ترسل منصة التعلم معرف النشر الخاص بها. يضيفه مشغل هذا الموقع بالأمر { $command } مع المعرف الذي تعرضه منصة التعلم.

# ما يمكن فعله.
lti-reopen = يرجى فتح الصفحة من جديد من المقرر.
lti-contact = إذا لم يفد ذلك، فيرجى إبلاغ من يدير منصة التعلم.

# حالات الرفض.
lti-too-large = ما تم إرساله أكبر من اللازم.
lti-too-slow = استغرق وصول ما تم إرساله وقتا أطول من اللازم.
lti-incomplete-title = لا يوجد شيء لفتحه
lti-incomplete = هذا العنوان مخصص لمنصات التعلم، وهي ترسل أكثر مما وصل إلى هنا.
lti-unknown-platform-title = منصة التعلم هذه غير معروفة هنا
lti-unknown-platform = لم يتم تسجيلها، أو أن جهة الإصدار (issuer) ومعرف العميل ليسا المسجلين هنا.
lti-disabled-title = هذا الاتصال موقوف
lti-disabled = تم إيقاف الاتصال بين منصة التعلم وهذا الموقع.
lti-foreign-title = هذا الرابط يؤدي إلى مكان آخر
lti-foreign = الرابط الموجود في المقرر يؤدي إلى عنوان لا يتبع هذا الموقع.
lti-used-title = سبق فتح هذه الصفحة
lti-used = كل فتح من المقرر يعمل مرة واحدة ولبضع دقائق فقط.
lti-browser-title = متصفحك يمنع هذه الصفحة من العمل هنا
lti-browser = لا يسمح المتصفح لهذا الموقع بحفظ ملف تعريف ارتباط داخل صفحة منصة التعلم، فلا يمكننا التأكد من أن الصفحة فتحت من جانبك فعلا.
lti-browser-window = تعمل الصفحة في نافذة مستقلة.
lti-platform-title = لم تسمح لك منصة التعلم بالدخول
lti-platform = رسالتها: { $said }
lti-no-keys-title = لا يمكن الوصول إلى منصة التعلم الآن
lti-no-keys = تعذر جلب مفاتيحها العامة التي تستخدم للتحقق من رسائلها.
lti-deployment-title = هذا النشر غير معروف هنا
lti-deployment = تسميه منصة التعلم { $deployment }.
lti-deployment-add = يمكن لمشغل هذا الموقع إضافته بالأمر { $command }.
lti-no-links-title = لا يمكن إضافة رابط هنا
lti-no-links = تطلب منصة التعلم شيئا آخر غير الرابط.
lti-untrusted-title = لا يمكن فتح هذه الصفحة
lti-untrusted = ما أرسلته منصة التعلم ليس كما ينبغي، فلا يمكننا الوثوق به.
lti-no-course-title = هذا ليس مقررا
lti-no-course = الصفحات هنا تابعة لمقررات، وقد فتح الرابط خارج أي مقرر.
lti-no-part-title = لا يوجد ما يلزمك فعله هنا
lti-no-part = هذه الصفحات لمن يدرس في مقرر ولمن يتعلم فيه.
lti-preview-title = هذا ما يراه الطلاب
lti-preview = يجد طلاب هذا المقرر أسماءهم هنا للاستماع إليها وكتابة طريقة نطقها وتسجيلها.
lti-preview-unlisted = لا يضاف اسمك إلى قائمة الطلاب.
lti-anonymous-title = لم تذكر منصة التعلم هويتك
lti-anonymous = دون ذلك لا يمكن عرض اسمك.
lti-closed-title = هذه الصفحة مغلقة
lti-closed = بقيت مفتوحة عدة ساعات، أو فتحت في متصفح آخر.
lti-invite-title = لا يمكن استخدام هذه الدعوة
lti-invite = يتم تسجيل منصات التعلم برابط يعمل مرة واحدة ولمدة سبعة أيام. ينشئ مشغل هذا الموقع الرابط بالأمر { $command }.
lti-registration-title = لم ينجح التسجيل
lti-registration = السبب: { $why }.
lti-registration-again = يمكن استخدام الرابط مرة أخرى.
lti-too-many-title = صفحات كثيرة في وقت واحد
lti-too-many = فتح من شبكتك عدد من الصفحات أكبر من المسموح به في وقت واحد. يرجى المحاولة مرة أخرى بعد دقيقة.
