// The click handler of a snippet in a third-party page. Lines are joined into an attribute, so each statement ends in
// a semicolon, and the code must not contain characters that HTML attributes escape. `this` is the link to the
// player, which opens when the page's CSP blocks this code; the icon is its first child, the audio its last. The
// recording that plays is kept on the window; our iframes announce playback by message and receive the same message.
event.preventDefault();
var b=this,i=b.firstChild,a=b.lastChild,w=window,n=w.length,m='endonym:play',t=' (it cannot be played just now)';
a.onplay=a.onpause=a.onerror=function(){
var x=a.error,p=a.paused;
b.role='button';
b.ariaPressed=!p;
b.ariaLabel=b.ariaLabel.replace(t,'')+(x?t:'');
b.title=x?b.ariaLabel:'';
i.style.outline=p?'':'2px solid';
i.style.opacity=x?.5:1;
if(x)a.pause();
if(p)a.currentTime=0;
};
if(a.paused){
if(w.endonymNow)w.endonymNow.pause();
else w.addEventListener('message',function(e){if(e.data==m)w.endonymNow.pause();});
w.endonymNow=a;
while(n--)w[n].postMessage(m,'*');
if(a.error)a.load();
a.play().catch(function(){});
}else a.pause()
