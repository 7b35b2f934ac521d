# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = بياناتك

data-consent-title = قبل التسجيل
data-consent-purpose = تحتفظ { $institution } بتسجيل لاسمك كي يسمع الآخرون كيف ينطق.
data-consent-choice = أنت من يقرر من يمكنه سماعه. يمكنك استبداله أو حذفه في أي وقت، ويمكنك سحب موافقتك.
data-consent-never = لا يستخدم صوتك لأي غرض آخر: لا يستخدم أبدا لإنشاء بصمات صوتية تتعرف على الأشخاص من أصواتهم، ولا يستخدم أبدا لتدريب البرامج.
data-consent-agree = أوافق
data-consent-done = شكرا لك. يمكنك الآن تسجيل اسمك.
data-consent-needed = يرجى أولا الموافقة على النص الخاص بالتسجيلات: يرجى فتح هذه الصفحة مرة أخرى في علامة تبويب أخرى والموافقة هناك، ثم إرسال تسجيلك من هنا.
data-consent-section = موافقتك
data-consent-since = وافقت في { $date } على تسجيل اسمك.
data-consent-read = قراءة ما وافقت عليه
data-consent-withdraw = سحب موافقتي
data-consent-withdraw-explained = يرجى اختيار ما سيحدث لتسجيلاتك. ستلغى المكالمات التي لم تتم بعد. لتسجيل اسمك من جديد، تكفي الموافقة مرة أخرى.
data-consent-withdraw-pause = سحب الموافقة والاحتفاظ بتسجيلاتي دون أن يسمعها أحد
data-consent-withdraw-delete = سحب الموافقة وحذف تسجيلاتي
data-consent-withdrawn = تم سحب موافقتك.

data-search-title = محركات البحث
data-search-label = يسمح لمحركات البحث بعرض اسمي
data-search-hint = لا يسري هذا إلا ما دام بإمكان أي شخص لديه الرابط سماع اسمك. وإلا فإننا نطلب من محركات البحث تجاهل صفحتك.

data-copy = تنزيل نسخة من كل شيء
data-copy-hint = ملف ZIP يضم تسجيلاتك وصورك وكل ما هو محفوظ عنك غير ذلك.

data-sign-out-everywhere = تسجيل الخروج من كل الأجهزة

data-delete = حذف كل شيء
data-delete-title = حذف كل ما يتعلق بك؟
data-delete-lead = لا يمكن التراجع عن هذا. سيحذف لدى { $institution } ما يلي:
data-delete-pages = اسمك في هذه الصفحات:
data-delete-recordings = تسجيلاتك وصورك مع جميع الروابط المؤدية إليها
data-delete-rest = رقم هاتفك ومكالماتك وإعداداتك وموافقاتك وعمليات تسجيل دخولك
data-delete-courses = إذا كان اسمك لا يزال في أحد المقررات، فقد يعود عند مزامنة المقرر، لكن دون أي شيء مما سيحذف الآن.
data-delete-elsewhere = لا يحذف ما تحتفظ به مؤسستك في أنظمة أخرى. وتبقى بياناتك في النسخ الاحتياطية السابقة إلى أن تحذف هي أيضا.
data-delete-now = حذف كل ما يتعلق بي
data-deleted-title = تم حذف كل شيء
data-deleted = لم يعد هنا أي شيء محفوظ عنك، وقد تم تسجيل خروجك من كل مكان.
data-deleting-title = يجري حذف بياناتك
data-deleting = تم حذف اسمك من هنا، وقد تم تسجيل خروجك من كل مكان. بعض الملفات التي فيها بياناتك، مثل تسجيل مكالمة، ما زال حذفها جاريا. لا يلزم القيام بأي شيء آخر.

data-handed-over-title = هذا الجهاز للتسجيل فقط
data-handed-over = تم فتح هذه الصفحة بمسح رمز، وهذا يكفي لتسجيل اسمك. للقيام بهذا، يرجى تسجيل الدخول ببريدك الإلكتروني.

data-badge-mine = هذا اسمي: تعديل
