# الصفحة الرئيسية وصفحات الأخطاء. مرجع الواجهة البرمجية بالإنجليزية فقط.

pages-site = الموقع
pages-reference = مرجع الواجهة البرمجية
pages-home-title = Endonym: الأسماء كما ينطقها أصحابها
pages-home-heading = الأسماء كما ينطقها أصحابها
pages-home-lead = هذا خادم Endonym. يسجل الناس طريقة نطق أسمائهم، وتعرض الأدلة ومنصات التعلم والتطبيقات الأخرى هذه الأسماء وتشغل تسجيلاتها.
pages-home-promise = تعمل هنا برامج Name Pronunciation Integration API، من الإصدار 5 إلى الإصدار 2، دون تغيير: لا يختلف إلا عنوان URL الأساسي.
pages-base-url = عنوان URL الأساسي
pages-developers = للمطورين
pages-reference-link = مرجع الواجهة البرمجية (بالإنجليزية)
pages-reference-about = كل عملية مع معاملاتها وردودها وأمر لتجربتها.
pages-openapi = مستند OpenAPI، { $version }
pages-openapi-about = للأدوات التي تنشئ البرامج والاختبارات.
pages-operators = للمشغلين
pages-healthz = هل العملية قيد التشغيل؟
pages-readyz = هل الخادم جاهز: هل يمكن الوصول إلى قاعدة البيانات وهل هي محدثة؟
pages-go-home = الانتقال إلى الصفحة الرئيسية
pages-method-title = غير متاح هنا
pages-method = الطريقة { $method } غير متاحة في هذا العنوان.
