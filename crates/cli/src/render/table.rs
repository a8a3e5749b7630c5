//! Tables without borders. Knows cells and widths; not what they are about.

use std::fmt::Write as _;

use super::escape;

/// The header is always there, even without rows; the last column is padded too, and scripts cut by
/// position.
pub(crate) fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| escape::inline(cell)))
        .collect();
    let mut widths = header.map(width);
    for row in &rows {
        for (so_far, cell) in widths.iter_mut().zip(row) {
            *so_far = width(cell).max(*so_far);
        }
    }
    let mut out = String::new();
    line(&mut out, header, &widths);
    for row in &rows {
        line(&mut out, row.each_ref().map(String::as_str), &widths);
    }
    out
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

fn line<const N: usize>(out: &mut String, cells: [&str; N], widths: &[usize; N]) {
    for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let gap = if index == 0 { "" } else { "  " };
        // Writing into a string cannot fail.
        let _infallible = write!(out, "{gap}{cell:<width$}");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            ["1.0.0".to_owned(), "deploy".to_owned()],
            ["1.10.0-rc.1".to_owned(), "roll\u{1b}".to_owned()],
        ];
        assert_eq!(
            table(["VERSION", "ACTION"], &rows),
            "VERSION      ACTION    \n\
             1.0.0        deploy    \n\
             1.10.0-rc.1  roll\\u{1b}\n"
        );
    }

    #[test]
    fn no_rows_still_have_a_header() {
        assert_eq!(table(["ID", "STATUS"], &[]), "ID  STATUS\n");
    }
}
