# للأعضاء الذين يديرون صفحات الأسماء أو يستمعون إليها.

member-title = صفحاتك
member-back = العودة إلى صفحاتك
member-manage-title = الصفحات التي تديرها
member-hear-title = الصفحات التي يمكنك الاستماع إليها
member-open-title = الصفحات التي يمكنك إضافة اسمك إليها
member-newest = لا تظهر هنا إلا أحدث الصفحات.
member-none = ليست لديك صفحة بعد. يمكن لمؤسستك منحك صفحة.
member-delete-role = دورك في إدارة الصفحات
member-last-owner-title = لا مالك آخر لدى مؤسستك
member-last-owner = تحتاج مؤسستك إلى مالك. يرجى أولا منح هذا الدور لشخص آخر. بعد ذلك يمكن حذف كل شيء.

member-export-title = تصدير الأشخاص
member-export-xlsx = الجميع، في جدول بيانات (XLSX)
member-export-csv = الجميع، في جدول بسيط (CSV)
member-export-zip = كل التسجيلات، بصيغة MP3 (ZIP)
member-export-vcard = الجميع، لدفتر العناوين (vCard)
member-export-hint = تحتوي الملفات على عناوين بريد إلكتروني وبيانات شخصية أخرى. ولا تشمل التسجيلات الموقوفة مؤقتا أو التي تنتظر الموافقة.
