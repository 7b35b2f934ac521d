# رسائل عن صفحات الأسماء، والصفحة التي تغير فيها المؤسسة نصوصها، والصفحة التي يمكن فيها إيقافها. في الرسالة يحذف السطر الذي تنقصه قيمة،
# ويكون الرابط في سطر مستقل.

letters-invitation-subject = يرجى تسجيل طريقة نطق الاسم: { $page }
letters-invitation-text =
    مرحبا { $name }،

    يرجى تسجيل طريقة نطق اسمك من أجل { $page }. يستغرق ذلك نحو دقيقة في المتصفح، ويمكن تغييره في أي وقت.

    { $link }

    التسجيل ممكن حتى { $closes }.

    هذا الرابط شخصي. يرجى عدم مشاركته.
letters-reminder-subject = تذكير بتسجيل الاسم: { $page }
letters-reminder-text =
    مرحبا { $name }،

    ما زال تسجيلك من أجل { $page } ناقصا. يستغرق ذلك نحو دقيقة في المتصفح.

    { $link }

    التسجيل ممكن حتى { $closes }.

    هذا الرابط شخصي. يرجى عدم مشاركته.
letters-rejection-subject = يرجى تسجيل الاسم مرة أخرى: { $page }
letters-rejection-text =
    مرحبا { $name }،

    لم يقبل تسجيلك من أجل { $page }. والسبب هو:

    { $reason }

    يمكن تسجيل الاسم مرة أخرى:

    { $link }

    التسجيل ممكن حتى { $closes }.
letters-request-subject = هناك من يود سماع اسمك: { $page }
letters-request-text =
    مرحبا { $name }،

    هناك من يود في { $page } نطق اسمك نطقا صحيحا، ولا يوجد تسجيل له بعد. يستغرق ذلك نحو دقيقة في المتصفح.

    { $link }

    التسجيل ممكن حتى { $closes }.

    يمكنك إيقاف هذه الطلبات في صفحتك الشخصية، ضمن «طلبات التسجيل».
letters-retention-subject = سيتم حذف التسجيلات: { $page }
letters-retention-text =
    مرحبا { $name }،

    سيتم حذف تسجيلات { $page } في { $date }، وتسجيلك من بينها. لا يلزم فعل أي شيء.

    للاحتفاظ بالتسجيل، يمكن الاستماع إليه وتنزيله حتى ذلك الحين:

    { $link }
letters-button-record = تسجيل الاسم
letters-button-page = فتح الصفحة
letters-why = ترسل { $institution } هذه الرسالة عبر Endonym لكي تنطق الأسماء نطقا صحيحا.
letters-stop = لإيقاف هذا النوع من الرسائل، يرجى فتح هذا الرابط. وستستمر في الوصول رسائل تسجيل الدخول التي تطلب.
letters-stop-link = إيقاف هذا النوع من الرسائل
letters-stop-title = رسائل صفحات الأسماء
letters-stop-lead = قد ترسل { $institution } رسائل عن صفحات الأسماء إلى { $email }: دعوات وتذكيرات وما يحدث للتسجيلات.
letters-stop-what = بعد إيقافها، ستستمر في الوصول رسائل تسجيل الدخول التي تطلب. ويمكن تغيير ذلك هنا في أي وقت.
letters-stop-button = إيقاف الرسائل
letters-stopped = لم تعد { $institution } ترسل رسائل إلى { $email }. وستستمر في الوصول رسائل تسجيل الدخول التي تطلب.
letters-start-lead = هل كان ذلك عن طريق الخطأ؟ يمكن استلام الرسائل من جديد.
letters-start-button = استلام الرسائل من جديد
letters-stop-unknown-title = هذا الرابط لا يعمل
letters-stop-unknown = يرجى التحقق من نسخ الرابط كاملا من الرسالة.
letters-page-title = الرسائل
letters-page-lead = هذه النصوص لجميع صفحات الأسماء في { $institution }. تكون كل رسالة بلغة من يتلقاها.
letters-page-kind = الرسالة
letters-page-language = اللغة
letters-page-show = عرض
letters-kind-invitation = دعوة
letters-kind-reminder = تذكير
letters-kind-rejection = عدم قبول تسجيل
letters-kind-request = طلب تسجيل
letters-kind-retention = حذف التسجيلات
letters-page-built-in = هذا هو النص المرفق مع Endonym.
letters-page-own = هذا هو نص المؤسسة.
letters-page-unsaved = لم يُحفظ هذا النص بعد.
letters-page-outdated = غيّر شخص آخر النص أثناء الكتابة، ولم يُحفظ شيء بعد. هذا نصه. يرجى الحفظ مرة أخرى لاستبداله.
letters-page-outdated-reset = عاد شخص آخر إلى النص الأصلي أثناء الكتابة، ولم يُحفظ شيء بعد. هذا هو النص الأصلي. يرجى الحفظ مرة أخرى لاستبداله.
letters-page-not-reset = غيّر شخص آخر النص بعد فتح هذه الصفحة، ولم تتم استعادة النص الأصلي. هذا نصه. ليحل النص الأصلي محله، يرجى اختيار «العودة إلى النص الأصلي» مرة أخرى.
letters-page-subject = الموضوع
letters-page-subject-help = يمكن أن يحتوي على: { $placeholders }
letters-page-text = النص
letters-page-text-help = يمكن أن يحتوي على: { $placeholders }. يجب أن يكون الرابط موجودا. يحذف السطر الذي تنقصه قيمة. تفصل الأسطر الفارغة بين الفقرات.
letters-page-preview = عرض المعاينة
letters-page-reset = العودة إلى النص الأصلي
letters-page-preview-title = معاينة
letters-page-test-title = رسالة تجريبية
letters-page-test-lead = يرسل النص المحفوظ بمحتوى افتراضي إلى { $email }.
letters-page-test = إرسال رسالة تجريبية إلي
letters-page-saved = تم حفظ النص.
letters-page-was-reset = عاد استخدام النص الأصلي.
letters-page-tested = الرسالة التجريبية في الطريق.
letters-fault-blank = يرجى إدخال نص.
letters-fault-long = النص طويل جدا. الحد الأقصى لعدد الأحرف هو { $most }.
letters-fault-characters = يحتوي النص على أحرف لا يمكن إرسالها.
letters-fault-unknown = لا يستبدل { $placeholder } هنا. يرجى التحقق من الكتابة والأقواس.
letters-fault-missing = يجب أن يحتوي النص على { $placeholder }.
letters-sample-page = صفحة نموذجية
letters-sample-reason = صوت التسجيل منخفض جدا.
