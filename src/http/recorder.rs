//! What the recorder (`templates/parts/recorder.html`) needs to know.

pub struct Recorder<'a> {
    /// The id of its element.
    pub id: &'a str,
    /// Where takes and files are posted.
    pub action: &'a str,
    pub csrf: &'a str,
    /// The length of a take, in seconds.
    pub limit: u64,
    /// The id of the element that shows the current recording.
    pub part: &'a str,
    /// Where a link for the phone is requested.
    pub handover: Option<&'a str>,
    /// Where the person asks to be called.
    pub call: Option<&'a str>,
    /// This page outside of a frame.
    pub window: &'a str,
    /// Why the server refused the file.
    pub fault: Option<&'a str>,
    /// Hidden fields of the form.
    pub fields: &'a [(&'a str, &'a str)],
}
