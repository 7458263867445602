//! Bar charts as SVG, readable on light and on dark ground.

use std::fmt::Write;

const LABEL_WIDTH: usize = 150;
const BAR_WIDTH: usize = 420;
const FIGURE_WIDTH: usize = 70;
const BAR_HEIGHT: usize = 7;
const GROUP_GAP: usize = 9;
const HEAD_HEIGHT: usize = 54;

/// Groups of horizontal bars.
pub struct Chart<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The names of the bars of each group.
    pub series: &'a [&'a str],
    /// Label and values of each group.
    pub groups: Vec<(String, Vec<f64>)>,
    /// Bars that are longer are cut off, and their figure tells so.
    pub greatest: f64,
    /// Behind each figure.
    pub unit: &'a str,
}

impl Chart<'_> {
    /// The file.
    pub fn svg(&self) -> String {
        let group_height = self.series.len() * BAR_HEIGHT + GROUP_GAP;
        let width = LABEL_WIDTH + BAR_WIDTH + FIGURE_WIDTH;
        let height = HEAD_HEIGHT + self.groups.len() * group_height;
        let title = escape(self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"system-ui,sans-serif\" font-size=\"10\" role=\"img\" \
             aria-label=\"{title}\">\n\
             <title>{title}</title>\n\
             <style>text{{fill:#24292f}}.s0{{fill:#0969da}}.s1{{fill:#8c959f}}.s2{{fill:#c9a227}}\
             .s3{{fill:#bc4c00}}@media(prefers-color-scheme:dark){{text{{fill:#d1d7e0}}\
             .s0{{fill:#58a6ff}}.s1{{fill:#6e7681}}.s2{{fill:#d4b13f}}.s3{{fill:#f0883e}}}}</style>\n\
             <text x=\"4\" y=\"16\" font-size=\"13\" font-weight=\"600\">{title}</text>\n"
        );
        let mut x = 4;
        for (i, name) in self.series.iter().enumerate() {
            let text_x = x + 13;
            let _ = writeln!(
                svg,
                "<rect class=\"s{i}\" x=\"{x}\" y=\"28\" width=\"9\" height=\"9\"/>\
                 <text x=\"{text_x}\" y=\"36\">{}</text>",
                escape(name)
            );
            x += 30 + 6 * name.len();
        }
        for (at, (label, values)) in self.groups.iter().enumerate() {
            let top = HEAD_HEIGHT + at * group_height;
            self.put_group(label, values, top, &mut svg);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn put_group(&self, label: &str, values: &[f64], top: usize, svg: &mut String) {
        let label_x = LABEL_WIDTH - 6;
        let label_y = top + (values.len() * BAR_HEIGHT) / 2 + 4;
        let label = escape(label);
        let _ = writeln!(
            svg,
            "<text x=\"{label_x}\" y=\"{label_y}\" text-anchor=\"end\">{label}</text>"
        );
        for (i, value) in values.iter().enumerate() {
            let share = (value / self.greatest).clamp(0.0, 1.0);
            let length = (share * BAR_WIDTH as f64).max(1.0);
            let y = top + i * BAR_HEIGHT;
            let figure_x = LABEL_WIDTH as f64 + length + 4.0;
            let figure_y = y + BAR_HEIGHT;
            let bar_height = BAR_HEIGHT - 1;
            let _ = writeln!(
                svg,
                "<rect class=\"s{i}\" x=\"{LABEL_WIDTH}\" y=\"{y}\" width=\"{length:.1}\" \
                 height=\"{bar_height}\"/><text x=\"{figure_x:.1}\" y=\"{figure_y}\" \
                 font-size=\"7\">{}{}</text>",
                super::table::figure(*value),
                self.unit
            );
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
