# رسائل عن صفحات الأسماء، والصفحة التي تغير فيها المؤسسة نصوصها، والصفحة التي يمكن فيها إيقافها. في الرسالة يحذف السطر الذي تنقصه قيمة،
# ويكون الرابط في سطر مستقل.

page-mail-invitation-subject = يرجى تسجيل طريقة نطق الاسم: { $page }
page-mail-invitation-text =
    مرحبا { $name }،

    يرجى تسجيل طريقة نطق اسمك من أجل { $page }. يستغرق ذلك نحو دقيقة في المتصفح، ويمكن تغييره في أي وقت.

    { $link }

    التسجيل ممكن حتى { $closes }.

    هذا الرابط شخصي. يرجى عدم مشاركته.
page-mail-reminder-subject = تذكير بتسجيل الاسم: { $page }
page-mail-reminder-text =
    مرحبا { $name }،

    ما زال تسجيلك من أجل { $page } ناقصا. يستغرق ذلك نحو دقيقة في المتصفح.

    { $link }

    التسجيل ممكن حتى { $closes }.

    هذا الرابط شخصي. يرجى عدم مشاركته.
page-mail-rejection-subject = يرجى تسجيل الاسم مرة أخرى: { $page }
page-mail-rejection-text =
    مرحبا { $name }،

    لم يقبل تسجيلك من أجل { $page }. والسبب هو:

    { $reason }

    يمكن تسجيل الاسم مرة أخرى:

    { $link }

    التسجيل ممكن حتى { $closes }.
page-mail-entry-rejection-subject = يرجى مراجعة بياناتك: { $page }
page-mail-entry-rejection-text =
    مرحبا { $name }،

    لم تقبل بياناتك من أجل { $page }، ولذلك لا يراها الآخرون. والسبب هو:

    { $reason }

    يمكن تعديلها هنا:

    { $link }

    التسجيل ممكن حتى { $closes }.
page-mail-request-subject = هناك من يود سماع اسمك: { $page }
page-mail-request-text =
    مرحبا { $name }،

    هناك من يود في { $page } نطق اسمك نطقا صحيحا، ولا يوجد تسجيل له بعد. يستغرق ذلك نحو دقيقة في المتصفح.

    { $link }

    التسجيل ممكن حتى { $closes }.

    يمكنك إيقاف هذه الطلبات في صفحتك الشخصية، ضمن «طلبات التسجيل».
page-mail-retention-subject = سيتم حذف التسجيلات: { $page }
page-mail-retention-text =
    مرحبا { $name }،

    سيتم حذف تسجيلات { $page } في { $date }، وتسجيلك من بينها. لا يلزم فعل أي شيء.

    للاحتفاظ بالتسجيل، يمكن الاستماع إليه وتنزيله حتى ذلك الحين:

    { $link }
page-mail-button-record = تسجيل الاسم
page-mail-button-page = فتح الصفحة
page-mail-why = ترسل { $institution } هذه الرسالة عبر Endonym لكي تنطق الأسماء نطقا صحيحا.
page-mail-stop = لإيقاف هذا النوع من الرسائل، يرجى فتح هذا الرابط. وستستمر في الوصول رسائل تسجيل الدخول التي تطلب.
page-mail-stop-link = إيقاف هذا النوع من الرسائل
page-mail-stop-title = رسائل صفحات الأسماء
page-mail-stop-lead = قد ترسل { $institution } رسائل عن صفحات الأسماء إلى { $email }: دعوات وتذكيرات وما يحدث للتسجيلات.
page-mail-stop-what = بعد إيقافها، ستستمر في الوصول رسائل تسجيل الدخول التي تطلب. ويمكن تغيير ذلك هنا في أي وقت.
page-mail-stop-button = إيقاف الرسائل
page-mail-stopped = لم تعد { $institution } ترسل رسائل إلى { $email }. وستستمر في الوصول رسائل تسجيل الدخول التي تطلب.
page-mail-start-lead = هل كان ذلك عن طريق الخطأ؟ يمكن استلام الرسائل من جديد.
page-mail-start-button = استلام الرسائل من جديد
page-mail-stop-unknown-title = هذا الرابط لا يعمل
page-mail-stop-unknown = يرجى التحقق من نسخ الرابط كاملا من الرسالة.
page-mail-page-title = الرسائل
page-mail-page-lead = هذه النصوص لجميع صفحات الأسماء في { $institution }. تكون كل رسالة بلغة من يتلقاها.
page-mail-page-kind = الرسالة
page-mail-page-language = اللغة
page-mail-page-show = عرض
page-mail-kind-invitation = دعوة
page-mail-kind-reminder = تذكير
page-mail-kind-rejection = عدم قبول تسجيل
page-mail-kind-entry-rejection = عدم قبول بيانات
page-mail-kind-request = طلب تسجيل
page-mail-kind-retention = حذف التسجيلات
page-mail-page-built-in = هذا هو النص المرفق مع Endonym.
page-mail-page-own = هذا هو نص المؤسسة.
page-mail-page-unsaved = لم يُحفظ هذا النص بعد.
page-mail-page-outdated = غيّر شخص آخر النص أثناء الكتابة، ولم يُحفظ شيء بعد. هذا نصه. يرجى الحفظ مرة أخرى لاستبداله.
page-mail-page-outdated-reset = عاد شخص آخر إلى النص الأصلي أثناء الكتابة، ولم يُحفظ شيء بعد. هذا هو النص الأصلي. يرجى الحفظ مرة أخرى لاستبداله.
page-mail-page-not-reset = غيّر شخص آخر النص بعد فتح هذه الصفحة، ولم تتم استعادة النص الأصلي. هذا نصه. ليحل النص الأصلي محله، يرجى اختيار «العودة إلى النص الأصلي» مرة أخرى.
page-mail-page-subject = الموضوع
page-mail-page-subject-help = يمكن أن يحتوي على: { $placeholders }
page-mail-page-text = النص
page-mail-page-text-help = يمكن أن يحتوي على: { $placeholders }. يجب أن يكون الرابط موجودا. يحذف السطر الذي تنقصه قيمة. تفصل الأسطر الفارغة بين الفقرات.
page-mail-page-preview = عرض المعاينة
page-mail-page-reset = العودة إلى النص الأصلي
page-mail-page-preview-title = معاينة
page-mail-page-test-title = رسالة تجريبية
page-mail-page-test-lead = يرسل النص المحفوظ بمحتوى افتراضي إلى { $email }.
page-mail-page-test = إرسال رسالة تجريبية إلي
page-mail-page-saved = تم حفظ النص.
page-mail-page-was-reset = عاد استخدام النص الأصلي.
page-mail-page-tested = الرسالة التجريبية في الطريق.
page-mail-fault-blank = يرجى إدخال نص.
page-mail-fault-long = النص طويل جدا. الحد الأقصى لعدد الأحرف هو { $most }.
page-mail-fault-characters = يحتوي النص على أحرف لا يمكن إرسالها.
page-mail-fault-unknown = لا يستبدل { $placeholder } هنا. يرجى التحقق من الكتابة والأقواس.
page-mail-fault-missing = يجب أن يحتوي النص على { $placeholder }.
page-mail-sample-page = صفحة نموذجية
page-mail-sample-reason = صوت التسجيل منخفض جدا.
