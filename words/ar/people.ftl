# The listening page of a name page: the list, asking for a recording, reporting one.

people-title = { $page }: الأسماء وطريقة نطقها
people-coverage =
    { $recorded ->
        [zero] لم يسجل أحد اسمه بعد، من أصل { $registered }.
        [one] سجل شخص واحد اسمه من أصل { $registered }.
        [two] سجل شخصان اسميهما من أصل { $registered }.
        [few] سجل { $recorded } أشخاص أسماءهم من أصل { $registered }.
        [many] سجل { $recorded } شخصا أسماءهم من أصل { $registered }.
       *[other] سجل { $recorded } شخص أسماءهم من أصل { $registered }.
    }
people-find = البحث عن اسم
people-find-send = بحث
people-shown = الأشخاص المعروضون
people-everybody = الجميع
people-unrecorded = لا يوجد تسجيل بعد
people-recorded = يوجد تسجيل
people-letters = الأحرف الأولى
people-found =
    { $count ->
        [zero] لا أحد.
        [one] شخص واحد.
        [two] شخصان.
        [few] { $count } أشخاص.
        [many] { $count } شخصا.
       *[other] { $count } شخص.
    }
people-found-nobody = لا أحد هنا بهذا الاسم: { $search }.
people-show-everybody = عرض الجميع
people-all-recorded = سجل الجميع أسماءهم.
people-nobody = لا يوجد أحد هنا بعد.
people-pages = أجزاء القائمة
people-page = الصفحة { $page } من { $pages }
people-back = السابق
people-next = التالي
people-list = العودة إلى القائمة
people-play-all = تشغيل الكل
people-play-all-file = تشغيل الكل في ملف واحد
people-stop = إيقاف
people-print = نسخة للطباعة
people-print-now = طباعة
people-keys = لوحة المفاتيح
people-keys-hint = يمكن الوصول إلى القائمة بمفتاح Tab، أو بالسهم السفلي من خانة البحث.
people-keys-arrows = الشخص التالي أو السابق
people-keys-space-name = مسافة
people-keys-space = تشغيل الاسم أو إيقافه
people-keys-home-name = Home
people-keys-end-name = End
people-keys-ends = الشخص الأول أو الأخير
people-name = الاسم
people-phonetic = طريقة النطق
people-pronouns = الضمائر
people-recording = التسجيل
people-inside = يرجى تسجيل الدخول لسماع هذا الاسم
people-only-inside = للمنتمين إلى { $institution } فقط
people-ask = طلب تسجيل
people-ask-outside = يرجى فتح هذه الصفحة في علامة تبويب مستقلة لطلب التسجيلات
people-asked = شكرا. ننقل طلبك مرة واحدة في الأسبوع على الأكثر، وفقط لمن يرغب في تلقي مثل هذه الرسائل.
people-report = الإبلاغ
people-report-label = الإبلاغ عن بيانات { $name } (يفتح في علامة تبويب جديدة)
people-report-title = الإبلاغ عن بيانات
people-report-lead = يتعلق هذا البلاغ ببيانات { $name }. سينظر فيها القائمون على هذه الصفحة ويتخذون القرار.
people-report-about = عم تريد الإبلاغ؟
people-report-about-recording = التسجيل
people-report-about-entry = الاسم أو طريقة كتابته أو الصورة
people-report-why = ما المشكلة؟
people-report-wrong-person = إنه اسم شخص آخر أو صوته
people-report-offensive = فيه إساءة
people-report-unintelligible = لا يمكن فهمه
people-report-sentence = مزيد من التفاصيل
people-report-sentence-hint = تكفي جملة واحدة.
people-report-sentence-fault = يرجى كتابة جملة لا تزيد على 1000 حرف.
people-report-choose = يرجى اختيار المشكلة.
people-report-send = إرسال
people-reported = شكرا. سينظر القائمون على هذه الصفحة في الأمر.
people-too-many-title = يرجى الانتظار قليلا
people-too-many = وردت طلبات كثيرة جدا من شبكتك. يرجى المحاولة مرة أخرى بعد ساعة.
people-closed-title = الاستماع غير متاح هنا
people-closed = يستطيع بعض الأشخاص فقط سماع الأسماء في هذه الصفحة. للحصول على ذلك، يرجى سؤال القائمين على الصفحة، أو تسجيل الدخول ببريد إلكتروني آخر.
people-requests-title = طلبات التسجيل
people-requests-label = يمكن للآخرين أن يطلبوا مني تسجيل اسمي
people-requests-hint = تصل رسالة واحدة في الأسبوع على الأكثر، وفقط ما دام لا يوجد تسجيل لاسمك.
people-requests-done = تم الحفظ.
