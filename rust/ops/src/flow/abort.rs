//! Abort: ends the process.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Abort")
            .attr("error_msg: string = ''")
            .attr("exit_without_error: bool = false")
            .doc("Ends the process: with the code 0 if exit_without_error is true, else with a message and by SIGABRT.")
            .stateful()
            .listed_stateful(false)
            .shape(shape_rules::unknown)
            .kernel(|init| {
                let (message, is_clean) = (init.str("error_msg")?, init.bool("exit_without_error")?);
                kernel(move |ctx| {
                    if is_clean {
                        std::process::exit(0);
                    }
                    eprintln!("Abort_op intentional failure at {}; {message}", ctx.name());
                    std::process::abort();
                })
            }),
    );
}
