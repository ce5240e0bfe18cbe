//! Roles: what an element of HTML is by itself, which names of roles there are, and what each role is like.
//!
//! After the HTML Accessibility API Mappings and WAI-ARIA 1.2. An empty role is that of an element which says nothing
//! by itself (`generic`, `none`).

use super::words::is_one_of;

/// What an element is inside of, asked only where its role depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// `article`, `aside`, `main`, `nav` or `section`.
    Section,
    /// A list.
    List,
    /// A table that is a grid.
    Grid,
}

/// The role that a `role` attribute asks for: the first of its words that is one. `none` and `presentation` give `""`.
#[must_use]
pub fn explicit(attribute: &str) -> Option<&'static str> {
    attribute.split_ascii_whitespace().find_map(|word| {
        let word = word.to_ascii_lowercase();
        if is_one_of(&word, "none presentation generic") {
            return Some("");
        }
        if word == "image" {
            return Some("img");
        }
        ROLES.split(' ').find(|known| *known == word)
    })
}

/// The roles of ARIA that a page may give.
const ROLES: &str = "alert alertdialog application article banner blockquote button caption cell checkbox code \
    columnheader combobox comment complementary contentinfo definition deletion dialog directory \
    document emphasis feed figure form grid gridcell group heading img insertion link list listbox \
    listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter \
    navigation note option paragraph progressbar radio radiogroup region row rowgroup rowheader \
    scrollbar search searchbox separator slider spinbutton status strong subscript suggestion \
    superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid \
    treeitem";

/// Elements whose role depends on nothing, each with it.
const PLAIN: &str = "address=group article=article aside=complementary blockquote=blockquote button=button \
    caption=caption code=code datalist=listbox dd=definition details=group dfn=term dialog=dialog \
    dt=term fieldset=group figure=figure h1=heading h2=heading h3=heading h4=heading h5=heading \
    h6=heading hr=separator iframe=iframe frame=iframe main=main math=math menu=list meter=meter \
    nav=navigation ol=list optgroup=group option=option output=status p=paragraph progress=progressbar \
    search=search summary=button svg=img table=table tbody=rowgroup textarea=textbox tfoot=rowgroup \
    thead=rowgroup time=time tr=row ul=list video=video audio=audio";

fn plain() -> impl Iterator<Item = (&'static str, &'static str)> {
    PLAIN.split(' ').filter_map(|pair| pair.split_once('='))
}

/// The role of an element of HTML that has no `role`.
#[must_use]
pub fn implicit(
    tag: &str,
    attribute: &dyn Fn(&str) -> Option<String>,
    inside: &dyn Fn(Inside) -> bool,
) -> &'static str {
    let named = || {
        ["aria-label", "aria-labelledby", "title"]
            .iter()
            .any(|name| attribute(name).is_some_and(|text| !text.trim().is_empty()))
    };
    match tag {
        "a" | "area" => {
            if attribute("href").is_some() {
                "link"
            } else {
                ""
            }
        }
        "footer" => {
            if inside(Inside::Section) {
                ""
            } else {
                "contentinfo"
            }
        }
        "header" => {
            if inside(Inside::Section) {
                ""
            } else {
                "banner"
            }
        }
        "form" => {
            if named() {
                "form"
            } else {
                ""
            }
        }
        "section" => {
            if named() {
                "region"
            } else {
                ""
            }
        }
        "img" => match attribute("alt") {
            Some(alt) if alt.trim().is_empty() && !named() => "",
            _ => "img",
        },
        "input" => input(attribute),
        "li" => {
            if inside(Inside::List) {
                "listitem"
            } else {
                ""
            }
        }
        "select" => {
            let several = attribute("multiple").is_some()
                || attribute("size").and_then(|size| size.parse::<u32>().ok()).is_some_and(|size| size > 1);
            if several { "listbox" } else { "combobox" }
        }
        "td" => {
            if inside(Inside::Grid) {
                "gridcell"
            } else {
                "cell"
            }
        }
        "th" => match attribute("scope").as_deref() {
            Some("row" | "rowgroup") => "rowheader",
            _ => "columnheader",
        },
        _ => plain().find(|(known, _)| *known == tag).map_or("", |(_, role)| role),
    }
}

fn input(attribute: &dyn Fn(&str) -> Option<String>) -> &'static str {
    let listed = attribute("list").is_some();
    let kind = attribute("type").unwrap_or_default().to_ascii_lowercase();
    match kind.as_str() {
        "hidden" => "",
        "button" | "image" | "reset" | "submit" | "color" | "file" => "button",
        "checkbox" => "checkbox",
        "radio" => "radio",
        "range" => "slider",
        "number" => "spinbutton",
        "search" if !listed => "searchbox",
        _ if listed => "combobox",
        _ => "textbox",
    }
}

/// Roles that a person acts on.
#[must_use]
pub fn is_interactive(role: &str) -> bool {
    is_one_of(
        role,
        "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem",
    )
}

/// Roles that hold text a person writes.
#[must_use]
pub fn is_text_field(role: &str) -> bool {
    is_one_of(role, "textbox searchbox combobox spinbutton")
}

/// Roles that are named by what is in them.
#[must_use]
pub fn is_named_by_content(role: &str) -> bool {
    is_one_of(
        role,
        "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem",
    )
}

/// Roles whose content is said by the name, so that a snapshot does not say it again.
#[must_use]
pub fn is_said_by_name(role: &str) -> bool {
    is_named_by_content(role) && !is_one_of(role, "cell gridcell row columnheader rowheader")
}

/// Roles that only hold text together and get no line of their own unless they are named.
#[must_use]
pub fn is_mere_text(role: &str) -> bool {
    matches!(
        role,
        "" | "paragraph"
            | "code"
            | "emphasis"
            | "strong"
            | "subscript"
            | "superscript"
            | "insertion"
            | "deletion"
            | "mark"
            | "time"
            | "rowgroup"
            | "caption"
            | "document"
            | "term"
            | "definition"
            | "blockquote"
    )
}

/// Roles whose children are one picture to assistive technology.
#[must_use]
pub fn hides_children(role: &str) -> bool {
    is_one_of(role, "img math meter progressbar scrollbar separator slider")
}

/// How much a line of this role matters when something must be left out, 0 to 4.
#[must_use]
pub fn weight(role: &str) -> u8 {
    if is_interactive(role) || is_one_of(role, "alert alertdialog dialog status iframe") {
        return 4;
    }
    match role {
        "banner" | "complementary" | "contentinfo" | "form" | "heading" | "log" | "main" | "navigation"
        | "region" | "search" | "tabpanel" | "progressbar" | "meter" => 3,
        "" | "text" => 1,
        "img" | "separator" | "figure" => 0,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The role of `<tag a=b c>` written as one word list.
    fn role(element: &str, around: &[Inside]) -> &'static str {
        let mut words = element.split(' ');
        let tag = words.next().unwrap();
        let attributes: Vec<(&str, &str)> =
            words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
        let attribute = |name: &str| {
            attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        implicit(tag, &attribute, &|what| around.contains(&what))
    }

    #[test]
    fn elements_have_their_roles() {
        let table = [
            ("a href=/", "link"),
            ("a", ""),
            ("area href=/", "link"),
            ("article", "article"),
            ("aside", "complementary"),
            ("button", "button"),
            ("div", ""),
            ("span", ""),
            ("dialog", "dialog"),
            ("details", "group"),
            ("summary", "button"),
            ("fieldset", "group"),
            ("figure", "figure"),
            ("footer", "contentinfo"),
            ("header", "banner"),
            ("form", ""),
            ("form aria-label=Pay", "form"),
            ("h1", "heading"),
            ("h6", "heading"),
            ("hr", "separator"),
            ("img", "img"),
            ("img alt=", ""),
            ("img alt=Cat", "img"),
            ("img alt= title=Cat", "img"),
            ("input", "textbox"),
            ("input type=button", "button"),
            ("input type=checkbox", "checkbox"),
            ("input type=color", "button"),
            ("input type=date", "textbox"),
            ("input type=email", "textbox"),
            ("input type=email list=x", "combobox"),
            ("input type=file", "button"),
            ("input type=hidden", ""),
            ("input type=image", "button"),
            ("input type=number", "spinbutton"),
            ("input type=RADIO", "radio"),
            ("input type=range", "slider"),
            ("input type=search", "searchbox"),
            ("input type=search list=x", "combobox"),
            ("input type=submit", "button"),
            ("input type=tel", "textbox"),
            ("li", ""),
            ("main", "main"),
            ("meter", "meter"),
            ("nav", "navigation"),
            ("ol", "list"),
            ("ul", "list"),
            ("menu", "list"),
            ("optgroup", "group"),
            ("option", "option"),
            ("output", "status"),
            ("p", "paragraph"),
            ("progress", "progressbar"),
            ("section", ""),
            ("section aria-label=News", "region"),
            ("select", "combobox"),
            ("select multiple", "listbox"),
            ("select size=4", "listbox"),
            ("select size=1", "combobox"),
            ("table", "table"),
            ("tbody", "rowgroup"),
            ("td", "cell"),
            ("textarea", "textbox"),
            ("th", "columnheader"),
            ("th scope=row", "rowheader"),
            ("tr", "row"),
            ("svg", "img"),
            ("search", "search"),
            ("iframe", "iframe"),
            ("x-thing", ""),
        ];
        for (element, expected) in table {
            assert_eq!(role(element, &[]), expected, "{element}");
        }
        assert_eq!(role("li", &[Inside::List]), "listitem");
        assert_eq!(role("header", &[Inside::Section]), "");
        assert_eq!(role("footer", &[Inside::Section]), "");
        assert_eq!(role("td", &[Inside::Grid]), "gridcell");
    }

    #[test]
    fn the_first_known_role_counts() {
        assert_eq!(explicit("doc-thing Button link"), Some("button"));
        assert_eq!(explicit("none"), Some(""));
        assert_eq!(explicit("image"), Some("img"));
        assert_eq!(explicit("sparkle"), None);
        assert_eq!(explicit(" "), None);
    }

    #[test]
    fn every_role_that_an_element_can_have_is_known() {
        for (tag, role) in plain() {
            assert!(is_one_of(role, ROLES) || is_one_of(role, "iframe video audio"), "{tag}");
        }
    }
}
