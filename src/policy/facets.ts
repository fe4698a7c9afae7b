/** Names of query parameters that say how a list is shown, not what there is: filters, orders, pages. One table. */

/** How a list is cut and ordered. More than one of a kind in one URL contradict each other. */
const PAGING = new Set(
  (
    "sort sortby sort_by orderby order_by order ordering sortorder sort_order sortdir sort_dir dir direction " +
    "page paged pg page_no pageno page_num pagenum per_page perpage pagesize page_size limit view layout display"
  ).split(" "),
);

/** What is chosen out of a list. Names of a shop's own (`marke`, `farbe`) are known by what their pages bring. */
const FILTERS = new Set(
  (
    "filter filters facet facets refine refinement f fq attr attribute attributes " +
    "color colour size brand material price minprice maxprice min_price max_price price_min price_max min max " +
    "pricefrom priceto rating stars availability instock in_stock stock condition gender style tag tags fit pattern season"
  ).split(" "),
);

const DECORATION = /(?:%5b|\[).*$|\d+$/i;

/** A name in lower case: whether it orders a list, or tells which part of it. */
export const isPaging = (name: string): boolean => PAGING.has(name);

/** Whether it filters or orders. `filter[color]`, `filter_color` and `filter12` are filters. */
export function isFacet(name: string): boolean {
  const bare = name.replace(DECORATION, "");
  return FILTERS.has(bare) || PAGING.has(bare) || /^(?:filter|facet)[_.-]/.test(bare);
}
