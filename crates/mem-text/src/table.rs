//! A table for a terminal: aligned columns, a right edge that is never crossed, `…` where something was cut.

use crate::{cut, width};

/// Where the text of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// One column: its heading, its side, and when it gives way.
#[derive(Clone, Debug)]
pub struct Column {
    heading: String,
    align: Align,
    shrinks: u8,
    least: usize,
    has_paths: bool,
}

impl Column {
    /// Returns a column whose text stands left and that gives way after those that [`Column::shrinks`] names.
    pub fn left(heading: &str) -> Self {
        Self { heading: heading.to_owned(), align: Align::Left, shrinks: 0, least: 4, has_paths: false }
    }

    /// Returns a column of paths, of which the end stays when they are cut.
    pub fn paths(heading: &str) -> Self {
        Self { has_paths: true, ..Self::left(heading) }
    }

    /// Returns a column whose text stands right.
    pub fn right(heading: &str) -> Self {
        Self { align: Align::Right, ..Self::left(heading) }
    }

    /// Returns the column with its turn to give way: the highest number first, 0 last.
    pub fn shrinks(mut self, turn: u8) -> Self {
        self.shrinks = turn;
        self
    }

    /// Returns the column with the least columns that it keeps while another can still give way (default 4).
    pub fn least(mut self, columns: usize) -> Self {
        self.least = columns;
        self
    }
}

/// Rows under columns, rendered to a width.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    indent: usize,
}

/// Blanks between two columns.
const GAP: usize = 2;

impl Table {
    /// Returns an empty table. When every heading is empty, no heading line is printed.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new(), indent: 0 }
    }

    /// Returns the table moved right by so many blanks, within the same total width.
    pub fn indent(mut self, blanks: usize) -> Self {
        self.indent = blanks;
        self
    }

    /// Adds a row; missing cells are empty, cells too many are dropped. Hidden and control characters become visible.
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut row: Vec<String> =
            cells.into_iter().map(|cell| width::escape_line(cell.as_ref()).into_owned()).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// Tells whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the lines, each with a line end, none wider than `total` display columns.
    pub fn render(&self, total: usize) -> String {
        let widths = self.widths(total);
        let mut out = String::new();
        if self.columns.iter().any(|column| !column.heading.is_empty()) {
            let headings: Vec<&str> = self.columns.iter().map(|column| column.heading.as_str()).collect();
            self.render_row(&headings, &widths, total, &mut out);
        }
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            self.render_row(&cells, &widths, total, &mut out);
        }
        out
    }

    fn render_row(&self, cells: &[&str], widths: &[usize], total: usize, out: &mut String) {
        let mut line = " ".repeat(self.indent);
        for ((column, cell), room) in self.columns.iter().zip(cells).zip(widths) {
            if *room == 0 {
                continue;
            }
            if width::columns(&line) > self.indent {
                line.push_str(&" ".repeat(GAP));
            }
            let cell = if column.has_paths { cut::path(cell, *room) } else { cut::ellipsis(cell, *room) };
            line.push_str(&match column.align {
                Align::Left => width::pad(&cell, *room),
                Align::Right => width::pad_left(&cell, *room),
            });
        }
        // Only a table narrower than its own gaps comes here with too much.
        out.push_str(cut::columns(line.trim_end(), total));
        out.push('\n');
    }

    fn widths(&self, total: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = (0..self.columns.len()).map(|index| self.widest(index)).collect();
        let gaps = GAP * widths.iter().filter(|width| **width > 0).count().saturating_sub(1) + self.indent;
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(total);
        for keep_least in [true, false] {
            for index in self.giving_way() {
                let least = if keep_least { self.columns[index].least } else { 1 };
                let given = excess.min(widths[index].saturating_sub(least));
                widths[index] -= given;
                excess -= given;
            }
        }
        widths
    }

    fn widest(&self, index: usize) -> usize {
        let heading = width::columns(&self.columns[index].heading);
        self.rows.iter().map(|row| width::columns(&row[index])).fold(heading, usize::max)
    }

    fn giving_way(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|index| (std::cmp::Reverse(self.columns[*index].shrinks), std::cmp::Reverse(*index)));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(vec![
            Column::left("path").shrinks(1).least(10),
            Column::right("bytes"),
            Column::left("description").shrinks(2),
        ]);
        table.row(["project_rates.md", "120", "Rates are agreed per merchant group, not per merchant"]);
        table.row(["feedback_提交信息语言.md", "9", "提交信息一律用中文，每次提交都是这样，没有例外"]);
        table
    }

    #[test]
    fn no_line_is_wider_than_the_total() {
        for total in [0, 1, 5, 20, 40, 60, 80, 140] {
            for line in sample().render(total).lines() {
                assert!(width::columns(line) <= total, "{total}: {line}");
            }
        }
    }

    #[test]
    fn the_named_column_shrinks_first_and_is_marked() {
        let lines: Vec<String> = sample().render(60).lines().map(str::to_owned).collect();
        assert_eq!(lines[0], "path                      bytes  description");
        assert_eq!(lines[1], "project_rates.md            120  Rates are agreed per…");
        assert_eq!(lines[2], "feedback_提交信息语言.md      9  提交信息一律用中文，每次提…");
    }

    #[test]
    fn a_table_without_headings_has_no_heading_line_and_no_empty_columns() {
        let mut table = Table::new(vec![Column::left(""), Column::left(""), Column::right("")]).indent(2);
        table.row(["a", "", "1"]);
        table.row(["bb", "", "22"]);
        assert_eq!(table.render(80), "  a    1\n  bb  22\n");
    }

    #[test]
    fn a_line_end_in_a_cell_does_not_break_the_row() {
        let mut table = Table::new(vec![Column::left("")]);
        table.row(["a\nb\u{202e}"]);
        assert_eq!(table.render(40), "a\\nb\\u{202e}\n");
    }
}
