# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = بطاقة الاسم

profile-photo-title = صورتك
profile-photo-alt = صورة لك
profile-photo-choose = اختيار صورة لك
profile-photo-replace = اختيار صورة أخرى
profile-photo-hint = ملف JPEG أو PNG أو WebP أو GIF. تظهر الصورة مربعة في جميع صفحاتك.
profile-photo-partial = لا تظهر الصورة بعد في بعض صفحاتك. يرجى اختيارها مرة أخرى لتظهر في كل مكان.
profile-photo-delete = إزالة صورتي
profile-photo-send = استخدام هذه الصورة
profile-photo-no-file = يرجى اختيار صورة أولا.
profile-photo-other = لا يمكننا استخدام هذا الملف. يرجى اختيار صورة بصيغة JPEG أو PNG أو WebP أو GIF.
profile-photo-heic = هذه صورة بصيغة HEIC لا يمكننا استخدامها. يرجى حفظها أولا بصيغة JPEG أو التقاط صورة للشاشة.
profile-photo-damaged = هذه الصورة تالفة أو غير كاملة. يرجى حفظها مرة أخرى أو اختيار صورة غيرها.
profile-photo-large = هذه الصورة كبيرة جدا. يرجى اختيار صورة أصغر.

profile-crop-preview = صورتك كما سيراها الآخرون
profile-crop-hint = يمكن سحب الصورة أو استخدام أشرطة التمرير حتى يعجبك ما في المربع.
profile-crop-ready = يرجى اختيار الجزء الذي سيراه الآخرون، ثم الضغط على «استخدام هذه الصورة».
profile-crop-zoom = تكبير
profile-crop-x = يسارا أو يمينا
profile-crop-y = أعلى أو أسفل

profile-done-photo = تم حفظ صورتك.
profile-done-photo-deleted = تمت إزالة صورتك.

profile-fixed = هذه البيانات لا تغيرها إلا مؤسستك. إذا كان فيها خطأ، فيرجى التواصل مع مؤسستك.
profile-field-none = بدون إجابة
profile-field-yes = نعم
profile-field-no = لا
profile-field-not-included = يرجى اختيار إحدى الإجابات.

profile-guide-examples = على سبيل المثال:
profile-guide-example-1 = Siobhán: شي-ڤون (shi-VAWN)
profile-guide-example-2 = Joaquín: خوا-كين (wah-KEEN)
profile-guide-example-3 = Xiomara: سيو-مارا (see-oh-MAH-ra)

profile-legal-title = اسمك القانوني
profile-legal-lead = تستخدمه مؤسستك حيث يلزم، مثل الشهادة. يمكنك تسجيل طريقة نطقه.
profile-legal-all = يستخدم تسجيل واحد في كل هذه الصفحات.
profile-legal-open = الاستماع إلى اسمك القانوني أو تسجيله
profile-legal-none = لم تدخل مؤسستك اسما قانونيا لك.
profile-legal-play = اسمك القانوني في { $page }
profile-legal-unrecorded = لم يسجل بعد.
profile-legal-delete = حذف تسجيل اسمي القانوني
profile-legal-delete-explained = سيزال تسجيل اسمك القانوني من كل صفحاتك، وستتوقف روابطه عن العمل. لا يمكن التراجع عن هذا. ويبقى تسجيل الاسم المفضل لديك. يمكنك تسجيل اسمك القانوني من جديد في أي وقت.
profile-legal-delete-now = حذف هذا التسجيل
profile-legal-ready = يرجى الضغط على الزر ثم نطق اسمك القانوني كما ينبغي أن ينطق. يمكنك الاستماع إليه قبل أي شخص آخر.
profile-legal-consent = لتسجيله، يرجى أولا الموافقة على النص الخاص بالتسجيلات.
