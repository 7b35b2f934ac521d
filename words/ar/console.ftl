# The console: its frame, overview and search.

console-overview = نظرة عامة
console-people = الأشخاص
console-name-pages = صفحات الأسماء
console-moderation = المراجعة
console-custom-fields = الحقول المخصصة
console-tokens = رموز الوصول
console-learning-systems = منصات التعلم
console-phone = الهاتف
console-messages = الرسائل
console-jobs = عمليات التصدير والمهام
console-settings = الإعدادات
console-members = الأعضاء
console-audit = سجل التدقيق
console-title = لوحة التحكم
console-menu = القائمة
console-own-page = صفحتك الخاصة
console-forbidden-title = هذا ليس ضمن دورك
console-forbidden = يمكن لمالك أو مسؤول في مؤسستك القيام بذلك، أو منحك الدور.
console-sign-in-again = يرجى تسجيل الدخول مرة أخرى للقيام بذلك.
