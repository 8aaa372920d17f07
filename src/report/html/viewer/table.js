// ---------------------------------------------------------------------------------------------
// Table: sorted by its headings; a click on a row jumps to its incident.
// ---------------------------------------------------------------------------------------------

class IncidentTable {
  constructor(table, select) {
    this.table = table;
    if (!table) return;
    this.body = table.tBodies[0];
    this.headings = [...table.tHead.rows[0].cells];
    this.headings.forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => this.sort(column));
    });
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) select(Number(row.dataset.incident));
    });
  }

  /** Sorts by a column; by the same column again, the other way round. */
  sort(column) {
    const heading = this.headings[column];
    const isAscending = heading.getAttribute("aria-sort") !== "ascending";
    this.headings.forEach((other) => other.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
    const value = (row) => {
      const cell = row.cells[column];
      return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
    };
    const number = (row) => Number(row.dataset.incident);
    const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
    const rows = [...this.body.rows];
    rows.sort((a, b) => (isAscending ? 1 : -1) * compare(value(a), value(b)) || number(a) - number(b));
    this.body.append(...rows);
  }

  draw(state) {
    if (!this.table) return;
    for (const row of this.body.rows) {
      const isSelected = Number(row.dataset.incident) === state.selected;
      row.classList.toggle("selected", isSelected);
      if (isSelected) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
}
