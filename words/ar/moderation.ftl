# الإشراف على صفحة أسماء: قائمة من يديرونها، وما يقرؤه الأشخاص عن تسجيلاتهم.

moderation-title = الإشراف
moderation-lead = تنتظر التسجيلات الجديدة، والبيانات الجديدة لأشخاص لا يعرفهم أحد، الموافقة هنا. وحتى ذلك الحين لا يسمعها ولا يراها إلا أنت وأصحابها.
moderation-lead-off = يمكن سماع التسجيلات الجديدة في هذه الصفحة فورا. وتصل هنا بلاغات المستمعين.
moderation-lists = الحالات
moderation-open = بانتظار القرار
moderation-decided = ما تقرر خلال آخر 30 يوما
moderation-none = لا يوجد ما ينتظر القرار.
moderation-none-decided = لم يتقرر شيء خلال آخر 30 يوما.
moderation-keys = باستخدام لوحة المفاتيح: الانتقال إلى تسجيل بمفتاح Tab، ثم إلى التالي أو السابق بمفاتيح الأسهم؛ مفتاح المسافة للتشغيل، والحرف A للموافقة، والحرف R لكتابة السبب، والحرف D لرد البلاغ.
moderation-play = تشغيل تسجيل { $name }
moderation-held = ينتظر الموافقة منذ { $date }
moderation-wrong-person = بلاغ: هذا اسم شخص آخر
moderation-offensive = بلاغ: محتوى مسيء
moderation-unintelligible = بلاغ: لا يمكن فهمه
moderation-reports =
    { $count ->
        [zero] لا بلاغات
        [one] بلاغ واحد
        [two] بلاغان
        [few] { $count } بلاغات
        [many] { $count } بلاغا
       *[other] { $count } بلاغ
    }
moderation-approve = موافقة
moderation-reject = رفض
moderation-remove = إزالة
moderation-reason = السبب
moderation-reason-hint = يصل السبب إلى صاحب التسجيل مع رابط لإعادة التسجيل.
moderation-reject-now = رفض التسجيل
moderation-remove-now = إزالة التسجيل
moderation-dismiss = رد البلاغ
moderation-restore = استعادة
moderation-state-approved = تمت الموافقة من قبل { $by } في { $date }
moderation-state-rejected = تم الرفض من قبل { $by } في { $date }
moderation-state-removed = تمت الإزالة من قبل { $by } في { $date }
moderation-state-dismissed = تم رد البلاغ من قبل { $by } في { $date }
moderation-state-restored = تمت الاستعادة من قبل { $by } في { $date }
moderation-until = تمكن استعادته حتى { $date }
moderation-more = المزيد
moderation-done-approved = يمكن سماع التسجيل الآن.
moderation-done-rejected = تم رفض التسجيل، وسيعرف صاحبه السبب.
moderation-done-removed = تمت إزالة التسجيل، وسيعرف صاحبه السبب.
moderation-done-dismissed = تم رد البلاغ.
moderation-done-restored = يمكن سماع التسجيل من جديد.
moderation-done-decided = اتخذ شخص آخر قرارا في هذه الأثناء. لم يتغير شيء.
moderation-done-newer = يوجد تسجيل أحدث، ولذلك لم يتغير شيء. يرجى الاستماع إلى الأحدث أولا.
moderation-gone = لم يعد هذا التسجيل موجودا. ربما حذفه صاحبه.
moderation-fault-reason = يرجى كتابة سبب. وهو يصل إلى صاحب التسجيل.
moderation-own-held = ينتظر تسجيلك الموافقة. وحتى ذلك الحين لا يمكن سماعه إلا لك ولمن يديرون هذه الصفحة.
moderation-own-held-earlier = ينتظر تسجيلك الجديد الموافقة. وحتى ذلك الحين يسمع الآخرون التسجيل السابق.
moderation-own-refused = لم يقبل تسجيلك. يرجى تسجيل اسمك مرة أخرى. السبب:
moderation-photo = صورة { $name }
moderation-entry = يتعلق الأمر بكل بيانات الشخص: الاسم وطريقة نطقه والتفاصيل والصورة.
moderation-silenced = أوقف هذا الشخص تسجيلاته مؤقتا أو سحب موافقته، ولذلك لا يسمع هذا التسجيل أحد غيره ولا يمكن اعتماده.
moderation-reject-entry-now = رفض البيانات
moderation-remove-entry-now = إزالة البيانات
moderation-entry-reason-hint = يصل السبب إلى الشخص مع رابط لتعديل بياناته.
moderation-done-entry-shown = يمكن للآخرين رؤية البيانات الآن.
moderation-done-entry-refused = لا يرى الآخرون البيانات، وسيعرف صاحبها السبب.
moderation-done-entry-newer = تغيرت البيانات في هذه الأثناء، ولذلك لم يتخذ أي قرار. يرجى النظر فيها مرة أخرى أولا.
moderation-done-silenced = أوقف الشخص التسجيل مؤقتا أو سحب موافقته. لم يتغير شيء.
moderation-own-entry-held = تنتظر بياناتك الموافقة. وحتى ذلك الحين لا يراها إلا أنت ومن يديرون هذه الصفحة.
moderation-own-entry-refused = لم تقبل بياناتك. يرجى تعديلها. السبب:
