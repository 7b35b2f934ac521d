# الصفحة الخاصة بكل شخص. العلامة \u200E تبقي إشارة + على يسار رقم الهاتف.

me-title = اسمك
me-back = العودة إلى اسمك
me-gone-title = تم تسجيل خروجك
me-gone = لم يعد لك سجل هنا لدى مؤسستك. إذا كان هذا خطأ، فيرجى التواصل مع مؤسستك.

me-recording-title = تسجيلك
me-recording-play = تسجيلك في صفحة { $page }
me-recording-none = لا يمكن للآخرين سماع اسمك بعد.
me-recording-paused = تسجيلك محفوظ، ولا يمكن لأحد سماعه في الوقت الحالي.
me-recording-only-here = هذا التسجيل مخصص لهذه الصفحة فقط.
me-recording-delete = حذف تسجيلي
me-recording-delete-explained = سيزال تسجيلك من كل صفحاتك، وستتوقف روابطه عن العمل. لا يمكن التراجع عن هذا. يمكنك تسجيل اسمك من جديد في أي وقت.
me-recording-delete-now = حذفه من كل مكان
me-recording-delete-page = حذف التسجيل الخاص بصفحة { $page }
me-recording-delete-page-explained = سيزال هذا التسجيل من هذه الصفحة، وسيتوقف رابطه عن العمل. لا يمكن التراجع عن هذا.
me-recording-delete-page-now = حذفه من هذه الصفحة
me-record-for = التسجيل من أجل
me-record-for-all = كل صفحاتي
me-record-for-one = { $page } فقط

me-audience-heading = الخصوصية
me-directory-hold = وضعت المؤسسة حظر دليل: لا يُكشف للعموم أي شيء عنك. بطاقة الاسم مغلقة، ولا يظهر الاسم في صفحات الأسماء العامة، أيا كان الاختيار أدناه. لا يسمع الاسم بعد تسجيل الدخول إلا من يدرّس في إحدى صفحات الأسماء هذه أو يديرها. لإنهاء الحظر، يرجى التواصل مع المؤسسة.
me-audience-title = من يمكنه سماع التسجيل
me-audience-public = أي شخص لديه الرابط
me-audience-public-hint = يمكن لكل من لديه رابط اسمك الاستماع إليه.
me-audience-institution = مؤسستي
me-audience-institution-hint = يمكن للأشخاص في مؤسستك الاستماع إليه، في أنظمتها أو بعد تسجيل الدخول.
me-audience-paused = لا أحد في الوقت الحالي
me-audience-paused-hint = يبقى تسجيلك محفوظا، لكن لا يعمل أي رابط إليه إلى حين اختيار شيء آخر.

me-details-title = اسمك مكتوبا
me-phonetic = الكتابة الصوتية
me-phonetic-hint = يرجى كتابة اسمك كما ينطق، مثل shi-VAWN.
me-phonetic-guide-title = كيف يكتب الاسم كما ينطق
me-phonetic-guide = الهدف أن يقرأ اسمك قراءة صحيحة من لم يره من قبل.
me-phonetic-guide-syllables = توضع شرطة بين المقاطع: shi-vawn.
me-phonetic-guide-stress = عند الكتابة بحروف لاتينية، يكتب المقطع المشدد عليه بحروف كبيرة: shi-VAWN.
me-phonetic-guide-rhyme = إذا صعبت كتابة صوت ما، فيمكن ذكر كلمة على القافية نفسها: «على وزن lawn».
me-notes = ملاحظات
me-notes-hint = أي شيء آخر ينبغي أن يعرفه الآخرون عن اسمك.

me-call-lead = ستصلك مكالمة آلية، ويمكنك نطق اسمك عبر الهاتف.
me-call-soon = سنتصل بك قريبا. يمكنك إدخال رقم آخر.
me-call-send = الاتصال بي
me-phone-number = رقم الهاتف
me-phone-number-hint = مع رمز البلد، مثل { "\u200E" }+12025550123.

me-done-recording = تم حفظ تسجيلك.
me-done-deleted = تم حذف تسجيلك.
me-done-audience = تم حفظ اختيارك.
me-done-details = تم حفظ تغييراتك.
me-done-call = سنتصل بك قريبا.

me-fault-long =
    { $most ->
        [zero] النص طويل جدا. الحد الأقصى { $most } حرف.
        [one] النص طويل جدا. الحد الأقصى حرف واحد.
        [two] النص طويل جدا. الحد الأقصى حرفان.
        [few] النص طويل جدا. الحد الأقصى { $most } أحرف.
        [many] النص طويل جدا. الحد الأقصى { $most } حرفا.
       *[other] النص طويل جدا. الحد الأقصى { $most } حرف.
    }
me-fault-characters = يحتوي النص على رموز لا يمكن استخدامها هنا.
me-fault-phone-blank = يرجى إدخال رقم هاتف.
me-fault-phone = لا يمكننا استخدام رقم الهاتف هذا. ينبغي أن يكون على شكل { "\u200E" }+12025550123.
me-fault-not-callable = لا يمكننا الاتصال بهذا الرقم. يرجى تجربة رقم آخر أو تسجيل اسمك هنا.
me-fault-too-many-calls = اتصلنا بك مرات كثيرة اليوم. يرجى المحاولة مرة أخرى غدا أو تسجيل اسمك هنا.
me-fault-audience = لا توفر مؤسستك هذا الخيار. يرجى اختيار خيار آخر.
me-fault-page = لم يعد اسمك مدرجا في هذه الصفحة. يرجى إعادة التحميل واختيار صفحة أخرى.
me-kept-title = تسجيلاتك المستبدلة
me-kept-about = استبدل شخص آخر تسجيلات سجلتها بنفسك. لا يسمع أحد تسجيلاتك حتى تعيدها.
me-kept-replaced = استُبدل: { $time }.
me-kept-until = محفوظ حتى { $time }.
me-kept-put-back = إعادة تسجيلي
me-kept-done = عاد تسجيلك.
