# استيراد الأشخاص والتسجيلات في صفحة أسماء.

import-title = استيراد الأشخاص
import-upload-title = اختيار ملف
import-lead = يرجى رفع قائمة بالأشخاص: جدول بيانات (XLSX أو ODS) أو ملف CSV أو حزمة OneRoster. ويمكن أيضا رفع ملف ZIP يحتوي على تسجيلات تحمل أسماؤها البريد الإلكتروني أو المعرف لكل شخص. لن يتغير شيء قبل عرض ما سيحدث.
import-file = الملف
import-file-hint = { $most } ميغابايت كحد أقصى.
import-upload = رفع
import-no-file = يرجى اختيار ملف أولا.
import-last-title = آخر استيراد
import-last-link = عرض آخر استيراد
import-last-done = جديد: { $created }. معدل: { $updated }. دون تغيير: { $unchanged }. مرفوض: { $refused }.
import-undo = التراجع عن الاستيراد
import-undo-hint = يحذف الأشخاص الذين أضافهم الاستيراد مع تسجيلاتهم، ويعود الأشخاص الذين عدلهم إلى ما كانوا عليه. هذا ممكن خلال 24 ساعة ما لم يعدلهم أحد بعد ذلك.
import-undo-failed = تعذر التراجع عن الاستيراد بالكامل. يرجى المحاولة مرة أخرى.
import-undo-kept = تم التراجع عن الاستيراد باستثناء هؤلاء الأشخاص، فقد عدلهم أحد في هذه الأثناء:
import-undo-changed = لا يمكن التراجع عن الاستيراد، لأن هؤلاء الأشخاص عدلوا بعده:
import-undo-nothing = لا يوجد استيراد يمكن التراجع عنه.
import-undo-late = مضى على آخر استيراد أكثر من 24 ساعة، ولم يعد التراجع عنه ممكنا.
import-undo-replaced = لا يمكن التراجع عن الاستيراد: لقد استبدل تسجيلات، ولم تعد القديمة موجودة.
import-state-uploaded = يرجى التحقق من محتوى كل عمود، ثم بدء فحص الملف.
import-state-checking = يجري فحص الملف. تتحدث هذه الصفحة تلقائيا.
import-state-checked = تم فحص الملف. لم يتغير شيء بعد.
import-state-waiting = سيبدأ الاستيراد بعد لحظات. تتحدث هذه الصفحة تلقائيا.
import-state-running = يجري استيراد الملف. يمكن إغلاق هذه الصفحة.
import-state-done = تم استيراد الملف.
import-state-failed = تعذر استيراد الملف.
import-state-undoing = يجري التراجع عن الاستيراد.
import-state-undone = تم التراجع عن الاستيراد.
import-file-damaged = تعذرت قراءة هذا الملف، وربما كان تالفا. يرجى حفظه من جديد أو اختيار ملف آخر.
import-file-unsupported = لا يمكن قراءة هذا النوع من الملفات. يرجى حفظه بصيغة XLSX أو ODS أو CSV.
import-file-encrypted = هذا الملف محمي بكلمة مرور. يرجى إزالة كلمة المرور أولا.
import-file-large = هذا الملف كبير جدا. يرجى تقسيمه أو طلب استيراده من الإدارة.
import-file-many = يحتوي هذا الملف على صفوف أو أعمدة كثيرة جدا. يرجى تقسيمه.
import-file-no-table = لا يحتوي هذا الملف على قائمة أشخاص.
import-file-custom = أحد الأعمدة مخصص لحقل غير موجود في المؤسسة. يرجى اختيار حقل آخر.
import-file-twice = لعمودين المعنى نفسه. يرجى اختيار «تجاهل» لأحدهما.
import-file-columns = يلزم تحديد عمود البريد الإلكتروني وعمود الاسم الأول أو اسم العائلة. يرجى اختيارهما أدناه.
import-file-waiting = توجد ملفات كثيرة جدا تنتظر الاستيراد في هذه الصفحة. يرجى استيراد أحدها أولا أو المحاولة مرة أخرى غدا.
import-progress = الصفوف: { $done } من { $total }
import-count-created = جديد: { $count }
import-count-updated = معدل: { $count }
import-count-unchanged = دون تغيير: { $count }
import-count-refused = مرفوض: { $count }
import-unknown = يتم تجاهل هذه الأعمدة: { $columns }
import-numeric-ids = بعض المعرفات محفوظة كأرقام. يرجى التحقق مما إذا كانت قد فقدت أصفارا في بدايتها.
import-recordings = التسجيلات في هذا الملف: { $count }. إذا حل أحدها محل تسجيل سابق، فلا يمكن التراجع عن الاستيراد.
import-others = الصفوف غير المعروضة: { $count }
import-report = تنزيل جميع الصفوف (CSV)
import-rows = صفا صفا
import-row-line = الصف
import-row-who = الشخص
import-row-result = النتيجة
import-row-details = التفاصيل
import-row-created = جديد
import-row-updated = معدل
import-row-unchanged = دون تغيير
import-row-skipped = تم تخطيه: معلم على أنه محذوف
import-row-refused = مرفوض
import-reason-blank = مفقود: { $field }.
import-reason-taken = يخص شخصا آخر: { $field }.
import-reason-long = طويل جدا: { $field }.
import-reason-control = يحتوي على رمز لا يمكن عرضه: { $field }.
import-reason-phone = ليس رقم هاتف مع رمز الدولة مثل +12025550123: { $field }.
import-reason-invalid = غير صالح: { $field }.
import-reason-text = يحتوي الصف على رموز غير مقروءة.
import-reason-nobody = لا أحد في هذه الصفحة لديه هذا البريد الإلكتروني أو المعرف.
import-reason-twice = ملف آخر يخص الشخص نفسه.
import-reason-sound = هذا الملف ليس تسجيلا صالحا للاستخدام.
import-run = استيراد الآن
import-check = فحص الملف
import-back = العودة إلى عمليات الاستيراد
import-class = المقرر
import-class-all = كل المقررات
import-columns = الأعمدة
import-columns-lead = هذا تخمين لمحتوى الأعمدة. يرجى تصحيح ما هو خاطئ.
import-column-heading = العنوان
import-column-field = المحتوى
import-column-samples = أمثلة
import-column-choose = ما محتوى العمود { $heading }؟
import-field-ignore = تجاهل
import-field-email = البريد الإلكتروني
import-field-first-name = الاسم الأول
import-field-last-name = اسم العائلة
import-field-id = المعرف في المؤسسة
import-field-phonetic = طريقة النطق
import-field-notes = ملاحظات
import-field-phone = رقم الهاتف
import-field-legal-first-name = الاسم القانوني الأول
import-field-legal-last-name = اسم العائلة القانوني
import-field-legal-middle-name = الاسم القانوني الأوسط
import-field-legal-phonetic = طريقة نطق الاسم القانوني
import-field-legal-notes = ملاحظات على الاسم القانوني
import-field-recording = تسجيل
import-field-other = حقل آخر
import-archived = هذه الصفحة مؤرشفة، لذا لا يمكن استيراد شيء.
import-undo-which = هل تريد التراجع عن استيراد { $date }؟ أشخاص أضيفوا: { $created }، أشخاص عُدّلوا: { $updated }.
import-undo-now = نعم، التراجع عن هذا الاستيراد
import-file-gone = حذف شخص في هذه الصفحة بياناته، وربما كانت في هذا الملف، ولذلك حُذف الملف. يرجى رفعه من جديد دون هذا الشخص.
import-removed =
    { $count ->
        [zero] لم يُزل أي صف من هذا الملف.
        [one] أُزيل صف واحد من هذا الملف لأن صاحبه حذف بياناته.
        [two] أُزيل صفان من هذا الملف لأن صاحبيهما حذفا بياناتهما.
        [few] أُزيلت { $count } صفوف من هذا الملف لأن أصحابها حذفوا بياناتهم.
        [many] أُزيل { $count } صفا من هذا الملف لأن أصحابها حذفوا بياناتهم.
       *[other] أُزيل { $count } صف من هذا الملف لأن أصحابها حذفوا بياناتهم.
    }
