# التخطيط والتنقل والأزرار والأخطاء المشتركة بين عدة أقسام.

shared-skip = الانتقال إلى المحتوى
shared-language = اللغة
shared-sign-out = تسجيل الخروج
shared-save = حفظ
shared-continue = متابعة
shared-blank = يرجى ملء هذا الحقل.
shared-cannot-play = لا يمكن تشغيل هذا التسجيل الآن. يرجى المحاولة مرة أخرى بعد قليل.
shared-trouble-title = حدث خطأ ما
shared-trouble = الخطأ من جانبنا. يرجى المحاولة مرة أخرى بعد قليل.
shared-nothing-title = لا يوجد شيء هنا
shared-nothing = الصفحة المطلوبة غير موجودة.
shared-unreadable-title = لم ينجح ذلك
shared-unreadable = أرسل متصفحك شيئا لم نتمكن من قراءته. يرجى الرجوع والمحاولة مرة أخرى.
shared-busy = الخادم مشغول. يرجى المحاولة مرة أخرى بعد قليل.
shared-form-expired-title = يرجى الإرسال مرة أخرى
shared-form-expired = بقيت هذه الصفحة مفتوحة مدة طويلة، أو جرى إرسالها من موقع آخر. يرجى الرجوع وإعادة تحميل الصفحة ثم إرسالها مرة أخرى.
