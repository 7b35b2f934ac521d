//! Spreadsheets and ZIP files, written by hand, so that they can be wrong.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// A ZIP file with these files.
pub fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const WORKBOOK: &str = r#"<?xml version="1.0" encoding="UTF-8"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Secret" sheetId="1" state="hidden" r:id="rId9"/><sheet name="People" sheetId="2" r:id="rId1"/></sheets></workbook>"#;
const RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="https://evil.example/x.xml" TargetMode="External"/></Relationships>"#;
/// Style 1 is a date.
const STYLES: &str = r#"<?xml version="1.0" encoding="UTF-8"?><styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;

/// An XLSX file with this sheet, as XML of `sheetData`, and these shared strings, as XML of `sst`.
pub fn xlsx_of(sheet_data: &str, strings: &str) -> Vec<u8> {
    xlsx_in_pieces(std::iter::once(sheet_data.to_owned()), strings)
}

/// The same, for a sheet that is too large for the memory.
pub fn xlsx_in_pieces(sheet_data: impl Iterator<Item = String>, strings: &str) -> Vec<u8> {
    let strings =
        format!(r#"<?xml version="1.0" encoding="UTF-8"?><sst uniqueCount="1000000000000">{strings}</sst>"#);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, text) in [
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", RELATIONSHIPS),
        ("xl/styles.xml", STYLES),
        ("xl/sharedStrings.xml", strings.as_str()),
        ("xl/vbaProject.bin", "a macro"),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.start_file("xl/worksheets/sheet1.xml", options).unwrap();
    zip.write_all(br#"<?xml version="1.0" encoding="UTF-8"?><worksheet><sheetData>"#).unwrap();
    for piece in sheet_data {
        zip.write_all(piece.as_bytes()).unwrap();
    }
    zip.write_all(b"</sheetData></worksheet>").unwrap();
    zip.finish().unwrap().into_inner()
}

/// An XLSX file with these styles, as XML of `styleSheet`, and without a sheet.
pub fn xlsx_with_styles(styles: &str) -> Vec<u8> {
    let styles = format!(r#"<?xml version="1.0" encoding="UTF-8"?><styleSheet>{styles}</styleSheet>"#);
    zip_of(&[
        ("xl/workbook.xml", WORKBOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", RELATIONSHIPS.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
    ])
}

/// A ZIP file with an empty `manifest.csv`, and a file of so many megabytes of blanks.
pub fn bomb(name: &str, megabytes: usize) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    zip.start_file("manifest.csv", options).unwrap();
    zip.start_file(name, options).unwrap();
    let blanks = vec![b' '; 1 << 20];
    (0..megabytes).for_each(|_| zip.write_all(&blanks).unwrap());
    zip.finish().unwrap().into_inner()
}

/// A row of inline texts.
pub fn row(number: usize, cells: &[&str]) -> String {
    let cell = |text: &&str| format!(r#"<c t="inlineStr"><is><t>{text}</t></is></c>"#);
    format!(r#"<row r="{number}">{}</row>"#, cells.iter().map(cell).collect::<String>())
}

/// An XLSX file with these texts.
pub fn xlsx(rows: &[&[&str]]) -> Vec<u8> {
    let rows: String = rows.iter().enumerate().map(|(at, cells)| row(at + 1, cells)).collect();
    xlsx_of(&rows, "")
}

/// An ODS file with this table, as XML of its rows.
pub fn ods_of(rows: &str) -> Vec<u8> {
    let content = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><office:document-content><office:body><office:spreadsheet><table:table table:name="People">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    zip_of(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
    ])
}
