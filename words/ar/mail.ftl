# الرسائل. يأتي اسم المؤسسة في آخر الموضوع لأنه قد يكون مكتوبا بحروف لغة أخرى.

mail-sign-in-subject = رمزك لتسجيل الدخول: { $institution }
mail-sign-in-title = تسجيل الدخول
mail-sign-in-code = يرجى إدخال هذا الرمز في الصفحة التي طلبته منها:
mail-sign-in-link = أو يمكنك فتح هذا الرابط، على هذا الجهاز أو على جهاز آخر:
mail-sign-in-button = متابعة تسجيل الدخول
mail-sign-in-once = يعمل كل من الرمز والرابط مرة واحدة ولمدة عشر دقائق.
mail-sign-in-why = وردنا طلب لتسجيل الدخول بالعنوان { $email }.
mail-sign-in-ignore = إذا لم يصدر هذا الطلب منك، فيرجى تجاهل هذه الرسالة. لا يمكن لأحد تسجيل الدخول دون الرمز أو الرابط، لذا يرجى عدم إعطائهما لأحد.
mail-test-subject = رسالة تجريبية
mail-test-title = البريد يعمل
mail-test-body = هذه رسالة تجريبية من Endonym. إذا أمكنك قراءتها، فهذا النظام قادر على إرسال البريد.
mail-address-subject = تم تغيير عنوانك: { $institution }
mail-address-what = غيّرت { $institution } عنوان سجلك من { $old } إلى { $new }. السجل بتسجيلاته والصفحة المخصصة لتعديلها أصبحت الآن للعنوان الجديد.
mail-address-then = إن لم تكن تتوقع ذلك، فاسأل { $institution } فورا. بالعنوان الجديد ترى سجلك هنا:
mail-replaced-subject = تم استبدال تسجيلك: { $institution }
mail-replaced-what = استبدل شخص آخر تسجيل اسمك الذي سجلته بنفسك، في الصفحة { $page } لدى { $institution }.
mail-replaced-then = يُحفظ تسجيلك حتى { $date }. يمكنك إعادته بضغطة واحدة في صفحتك:
