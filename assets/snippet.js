// The click of a snippet in somebody else's page, run as an event handler: lines are joined, so each statement ends in a
// semicolon, and none of " & < > stands here, which would have to be escaped. `this` is a link to the player, which is where a
// click leads when the page forbids this code; the icon is its first child, the sound its last. The sound that was begun last
// is known by a name on the window; our iframes say by a message that they begin, and are told the same.
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
